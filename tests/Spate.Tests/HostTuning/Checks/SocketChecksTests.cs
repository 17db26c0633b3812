using Spate.HostTuning.Checks;
using Spate.HostTuning.Counters;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

public sealed class SocketChecksTests
{
    private const string Core = "proc/sys/net/core/";
    private const string Ipv4 = "proc/sys/net/ipv4/";
    private const string DoubledMemory = "sysctl -w net.ipv4.udp_mem='200 400 600'";
    private const long UsualBytes = 212_992;

    [Fact]
    public void RmemMax_LowLimitOnAQuietHost_IsAdviceBelowNeed()
    {
        using FakeHost host = Host();

        CheckFinding finding = Find(RecordedReadings.Of(host, HostProfile.OneGigabit), "rmem-max");

        Assert.Equal((CheckStatus.Advice, true, "212,992 bytes"), (finding.Status, finding.IsBelowNeed, finding.Found));
        Assert.Equal("sysctl -w net.core.rmem_max=16777216", finding.Command);
        Assert.Equal("sysctl -w net.core.rmem_max=212992", finding.Undo);
    }

    [Theory]
    [InlineData(2 * UsualBytes, CheckStatus.Problem)] // all that the limit allows
    [InlineData(UsualBytes, CheckStatus.Advice)] // the default
    [InlineData(9000, CheckStatus.Advice)] // what its program asked for
    [InlineData(16 * UsualBytes, CheckStatus.Advice)] // forced by root
    internal void RmemMax_SocketDropped_IsAccusedOnlyWhereItBoundsTheBuffer(long buffer, CheckStatus status)
    {
        using FakeHost host = Host();

        CheckFinding finding = Find(Dropped(host, 7, Socket(9999, 7, buffer)), "rmem-max");

        Assert.Equal((status, status == CheckStatus.Problem ? 7 : 0), (finding.Status, finding.Growth));
        Assert.Equal("sysctl -w net.core.rmem_max=16777216", finding.Command);
    }

    [Fact]
    public void RmemMax_EnoughForTheProfile_IsOkAndNeverLowered()
    {
        using FakeHost host = Host().With(Core + "rmem_max", $"{int.MaxValue}\n");

        CheckFinding finding = Find(RecordedReadings.Of(host, HostProfile.HundredGigabit), "rmem-max");

        Assert.Equal((CheckStatus.Ok, null), (finding.Status, finding.Command));
    }

    [Fact]
    public void SocketDrops_TwoSockets_AreNamedWithPortProgramAndBuffer()
    {
        using FakeHost host = Host().WithLink("proc/31/fd/3", "socket:[53]").With("proc/31/comm", "na\u001bmed\n");
        HostReadings readings = Dropped(host, 1240, Socket(9999, 1234, 2 * UsualBytes), Socket(53, 6, UsualBytes));

        CheckFinding finding = Find(readings, "socket-drops");

        Assert.Equal((CheckStatus.Problem, 1240), (finding.Status, finding.Growth));
        Assert.Equal(
            @"port 9999: 1,234 dropped, buffer 425,984 bytes; port 53 (na\x1bmed): 6 dropped, buffer 212,992 bytes",
            finding.Found);
        Assert.Contains("rmem-max", finding.Wanted, StringComparison.Ordinal);
    }

    [Fact]
    public void SocketDrops_ManySockets_NamesTheFirstFive()
    {
        using FakeHost host = Host();
        UdpSocketCounters[] sockets = [.. Enumerable.Range(1, 9).Select(port => Socket(port, 10 - port, 9000))];

        CheckFinding finding = Find(Dropped(host, 45, sockets), "socket-drops");

        Assert.StartsWith("port 1: 9 dropped", finding.Found, StringComparison.Ordinal);
        Assert.EndsWith(
            "port 5: 5 dropped, buffer 9,000 bytes; and 4 more sockets", finding.Found, StringComparison.Ordinal);
    }

    [Fact]
    public void SocketDrops_SocketThatClosed_CountsAllTheSame()
    {
        using FakeHost host = Host();

        CheckFinding finding = Find(Dropped(host, 5), "socket-drops");

        Assert.Equal((CheckStatus.Problem, 5), (finding.Status, finding.Growth));
    }

    [Fact]
    public void SocketDrops_FilterThatRejects_IsNoProblem()
    {
        using FakeHost host = Host();

        Assert.Equal(CheckStatus.Ok, Find(Dropped(host, 0, Socket(9999, 7, UsualBytes)), "socket-drops").Status);
    }

    [Fact]
    public void RmemDefault_SocketWithTheDefaultDropped_IsAProblem()
    {
        using FakeHost host = Host();

        CheckFinding finding = Find(Dropped(host, 3, Socket(53, 3, UsualBytes)), "rmem-default");
        CheckFinding other = Find(Dropped(host, 3, Socket(53, 3, 9000)), "rmem-default");

        Assert.Equal((CheckStatus.Problem, 3), (finding.Status, finding.Growth));
        Assert.Equal("sysctl -w net.core.rmem_default=4194304", finding.Command);
        Assert.Equal((CheckStatus.Ok, "212,992 bytes"), (other.Status, other.Found));
    }

    [Theory]
    [InlineData((4 << 20) - 1, CheckStatus.Problem)]
    [InlineData(4 << 20, CheckStatus.Ok)]
    internal void RmemDefault_AsLargeAsItMayGet_IsOk(long bytes, CheckStatus status)
    {
        using FakeHost host = Host().With(Core + "rmem_default", $"{bytes}\n");

        Assert.Equal(status, Find(Dropped(host, 3, Socket(53, 3, bytes)), "rmem-default").Status);
    }

    [Fact]
    public void SendBufferErrors_QueueBelowTheRootDropped_IsNotCountedTwice()
    {
        using FakeHost host = Host();
        HostReadings readings = Refused(host, 9);
        readings = readings with
        {
            Growth = readings.Growth with { Queues = [new QueueCounters("eth0", "fq", "2:", "1:1") { Drops = 9 }] },
        };

        Assert.Equal("9 refused", Find(readings, "send-buffer-errors").Found);
        Assert.Equal(CheckStatus.Problem, Find(readings, "wmem-max").Status);
    }

    [Fact]
    public void SendBufferErrors_QueueDropped_NamesTheQueueAndNotTheLimit()
    {
        using FakeHost host = Host();
        HostReadings readings = Refused(host, 9) with { Sockets = [Socket(9, 0, 9000)] };
        readings = readings with
        {
            Growth = readings.Growth with { Queues = [new QueueCounters("eth0", "tbf", "1:", "root") { Drops = 9 }] },
        };

        Assert.Equal("9 refused; tbf of eth0 dropped 9", Find(readings, "send-buffer-errors").Found);
        Assert.Equal(CheckStatus.Advice, Find(readings, "wmem-max").Status);
    }

    [Fact]
    public void WmemMax_SocketAtTheLimitRefused_IsAProblem()
    {
        using FakeHost host = Host();

        CheckFinding finding = Find(Refused(host, 9), "wmem-max");

        Assert.Equal((CheckStatus.Problem, 9), (finding.Status, finding.Growth));
        Assert.Equal("sysctl -w net.core.wmem_max=16777216", finding.Command);
        CheckFinding refused = Find(Refused(host, 9), "send-buffer-errors");
        Assert.Equal(CheckStatus.Problem, refused.Status);
        Assert.Contains("waits and sends again loses nothing", refused.Reason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(UsualBytes, 2 * UsualBytes, 0, UsualBytes, CheckStatus.Problem)] // the other one has room
    [InlineData(UsualBytes - 1, 2 * UsualBytes, 0, UsualBytes, CheckStatus.Advice)] // both have room
    [InlineData(2 * UsualBytes, 2 * UsualBytes, UsualBytes, UsualBytes, CheckStatus.Advice)] // a small one is full too
    [InlineData(0, 2 * UsualBytes, UsualBytes, UsualBytes, CheckStatus.Advice)] // only a small one is full
    [InlineData(16 * UsualBytes, 16 * UsualBytes, 0, UsualBytes, CheckStatus.Advice)] // forced by root
    internal void WmemMax_SendsRefused_IsAccusedOnlyWhereItBoundsAllFullBuffers(
        long used, long buffer, long otherUsed, long otherBuffer, CheckStatus status)
    {
        using FakeHost host = Host();
        UdpSocketCounters[] sockets =
        [
            new(1, 1) { SendQueueBytes = used, SendBufferBytes = buffer },
            new(2, 2) { SendQueueBytes = otherUsed, SendBufferBytes = otherBuffer },
            new(3, 3) { SendQueueBytes = 5 },
        ];

        CheckFinding finding = Find(Refused(host, 9) with { Sockets = sockets }, "wmem-max");

        Assert.Equal((status, status == CheckStatus.Problem ? 9 : 0), (finding.Status, finding.Growth));
    }

    [Theory]
    [InlineData("16777216", "", CheckStatus.Ok)]
    [InlineData("212992", "212992", CheckStatus.Ok)] // rmem-max says it
    [InlineData("212991", "212992", CheckStatus.Advice)]
    [InlineData("212992", "", CheckStatus.Advice)] // a container does not show the limit
    [InlineData("", "212992", CheckStatus.Unknown)]
    internal void BufferGranted_LessThanNeeded_IsAdviceUnlessTheLimitSaysIt(
        string granted, string limit, CheckStatus status)
    {
        using FakeHost host = Host().With("socket/granted", granted).With(Core + "rmem_max", limit);

        CheckFinding finding = Find(RecordedReadings.Of(host, HostProfile.OneGigabit), "buffer-granted");

        Assert.Equal((status, status == CheckStatus.Advice), (finding.Status, finding.IsBelowNeed));
    }

    [Theory]
    [InlineData(0, "100\t200\t300", "UDP: inuse 5 mem 2", CheckStatus.Ok, null)]
    [InlineData(0, "100\t200\t300", "UDP: inuse 5 mem 200", CheckStatus.Advice, DoubledMemory)]
    [InlineData(4, "100\t200\t300", "", CheckStatus.Problem, DoubledMemory)]
    [InlineData(4, "100\t200\t2147483647", "", CheckStatus.Problem, null)]
    [InlineData(4, "", "", CheckStatus.Problem, null)]
    [InlineData(0, "", "", CheckStatus.Unknown, null)]
    [InlineData(0, "1 2 99999999999999999999", "UDP: inuse x mem y", CheckStatus.Unknown, null)]
    internal void UdpMem_LimitsAndUse_FollowsTheCounter(
        long errors, string limits, string use, CheckStatus status, string? command)
    {
        using FakeHost host = Host()
            .With(Ipv4 + "udp_mem", limits + "\n")
            .With("proc/thread-self/net/sockstat", $"sockets: used 34\n{use}\n")
            .With("proc/meminfo", "MemTotal:       24684000 kB\n");
        HostReadings readings = RecordedReadings.Of(host) with
        {
            Growth = new NetworkCounters { Udp6 = new UdpProtocolCounters { MemErrors = errors } },
        };

        CheckFinding finding = Find(readings, "udp-mem");

        Assert.Equal((status, command, errors), (finding.Status, finding.Command, finding.Growth));
    }

    [Fact]
    public void UdpMem_OfASmallMachine_IsRaisedToHalfOfItsMemory()
    {
        int pageKilobytes = Environment.SystemPageSize / 1024;
        using FakeHost host = Host()
            .With(Ipv4 + "udp_mem", "100\t200\t300\n")
            .With("proc/thread-self/net/sockstat", "UDP: inuse 5 mem 250\n")
            .With("proc/meminfo", $"MemTotal: {1000 * pageKilobytes} kB\n");

        CheckFinding finding = Find(RecordedReadings.Of(host), "udp-mem");

        Assert.Equal("sysctl -w net.ipv4.udp_mem='200 400 500'", finding.Command);
    }

    [Fact]
    public void UdpRmemMinAndTcpRmem_Changed_AreNamedAndNeverAdvised()
    {
        using FakeHost host = Host()
            .With(Ipv4 + "udp_rmem_min", "65536\n")
            .With(Ipv4 + "tcp_rmem", "4096\t131072\t134217728\n");
        HostReadings readings = RecordedReadings.Of(host);

        CheckFinding minimum = Find(readings, "udp-rmem-min");
        CheckFinding tcp = Find(readings, "tcp-rmem");

        Assert.Equal((CheckStatus.Ok, "65,536 bytes, changed from 4,096 bytes"), (minimum.Status, minimum.Found));
        Assert.Equal((CheckStatus.Ok, "up to 134,217,728 bytes"), (tcp.Status, tcp.Found));
        Assert.Contains("has no effect on UDP", tcp.Reason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(HostProfile.HundredGigabit, "131072", "sysctl -w net.core.optmem_max=1048576")]
    [InlineData(HostProfile.HundredGigabit, "1048575", "sysctl -w net.core.optmem_max=1048576")]
    [InlineData(HostProfile.HundredGigabit, "1048576", null)]
    [InlineData(HostProfile.TenGigabit, "131072", null)]
    internal void OptmemMax_Profile_IsAdvisedFromAHundredGigabits(HostProfile profile, string value, string? command)
    {
        using FakeHost host = Host().With(Core + "optmem_max", value);

        CheckFinding? finding = Examine(RecordedReadings.Of(host, profile)).Find(one => one.Id is "optmem-max");

        Assert.Equal(command, finding?.Command);
    }

    [Theory]
    [InlineData("")]
    [InlineData("\0\u001b[31m")]
    [InlineData("99999999999999999999999999")]
    [InlineData("-1 \t x")]
    public void All_OddFiles_AreNoProblemAndChangeNothing(string content)
    {
        using FakeHost host = Host();
        string[] files =
        [
            Core + "rmem_max", Core + "wmem_max", Core + "rmem_default", Core + "optmem_max", Ipv4 + "udp_mem",
            Ipv4 + "udp_rmem_min", Ipv4 + "tcp_rmem", "proc/thread-self/net/sockstat", "proc/meminfo",
        ];
        foreach (string file in files) host.With(file, content);

        Assert.All(Examine(RecordedReadings.Of(host, HostProfile.HundredGigabit)), static one =>
        {
            Assert.NotEqual(CheckStatus.Problem, one.Status);
            Assert.DoesNotContain('\u001b', one.Found);
            Assert.Empty(one.Changes);
        });
    }

    [Fact]
    public void All_EmptyTree_IsUnknown()
    {
        using var host = new FakeHost();

        Assert.All(
            Examine(RecordedReadings.Of(host, HostProfile.HundredGigabit)),
            static one => Assert.Equal(CheckStatus.Unknown, one.Status));
    }

    [Theory]
    [InlineData(true, true, true, CheckStatus.Ok, "segmentedSend works, coalescedReceive works")]
    [InlineData(true, true, false, CheckStatus.Advice, "segmentedSend works, coalescedReceive does not work")]
    [InlineData(true, false, false, CheckStatus.Advice, "segmentedSend does not work, coalescedReceive does not work")]
    [InlineData(false, false, false, CheckStatus.Ok, "segmentedSend does not work, coalescedReceive does not work")]
    [InlineData(false, true, true, CheckStatus.Ok, "segmentedSend works, coalescedReceive works")]
    internal void FastPaths_OneThatDoesNotWork_IsAdviceOnLinuxAloneAndHasTheReason(
        bool isLinux, bool sends, bool receives, CheckStatus status, string found)
    {
        CheckFinding finding = SocketChecks.FastPaths(
            [
                new UdpCapability("segmentedSend", sends, "ENOPROTOOPT"),
                new UdpCapability("coalescedReceive", receives, "ENOPROTOOPT"),
            ],
            isLinux);

        Assert.Equal((status, found), (finding.Status, finding.Found));
        Assert.Equal(status == CheckStatus.Ok, finding.Wanted.Length == 0);
        Assert.Equal(!(sends && receives), finding.Reason.EndsWith(": ENOPROTOOPT", StringComparison.Ordinal));
    }

    private static FakeHost Host() => RecordedNamespace.Host()
        .With(Core + "rmem_max", $"{UsualBytes}\n")
        .With(Core + "wmem_max", $"{UsualBytes}\n")
        .With(Core + "rmem_default", $"{UsualBytes}\n");

    private static UdpSocketCounters Socket(int port, long drops, long buffer) =>
        new(port, port)
        {
            Drops = drops,
            ReceiveBufferBytes = buffer,
            SendQueueBytes = UsualBytes,
            SendBufferBytes = 2 * UsualBytes,
        };

    private static HostReadings Dropped(FakeHost host, long refused, params UdpSocketCounters[] sockets) =>
        RecordedReadings.Of(host, HostProfile.OneGigabit) with
        {
            Growth = new NetworkCounters { Udp4 = new UdpProtocolCounters { RcvbufErrors = refused } },
            SocketDrops = sockets,
            Sockets = sockets,
        };

    private static HostReadings Refused(FakeHost host, long refused) =>
        RecordedReadings.Of(host, HostProfile.OneGigabit) with
        {
            Growth = new NetworkCounters { Udp4 = new UdpProtocolCounters { SndbufErrors = refused } },
            Sockets = [Socket(9, 0, 9000)],
        };

    private static List<CheckFinding> Examine(HostReadings readings) =>
        [.. CheckCatalog.Sockets.SelectMany(check => check.Examine(readings))];

    private static CheckFinding Find(HostReadings readings, string id) =>
        Assert.Single(Examine(readings), one => string.Equals(one.Id, id, StringComparison.Ordinal));
}
