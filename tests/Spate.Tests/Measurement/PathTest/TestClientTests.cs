using System.Diagnostics;
using System.Net;
using Spate.Measurement.HostUse;
using Spate.Measurement.Pacing;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>Both ends of a test in this process, over the loopback, with bounded counts.</summary>
public sealed class TestClientTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(15);

    [Theory]
    [InlineData(2, TestDirection.Forward, true)]
    [InlineData(2, TestDirection.Both, true)]
    [InlineData(2, TestDirection.Reverse, false)]
    [InlineData(1, TestDirection.Forward, false)]
    internal void FindPaceFault_SecondAddressKeepsNoTimes_IsTheFaultOfATestThatSendsThere(
        int flows, TestDirection direction, bool isFault)
    {
        UdpEndPoint second = UdpEndPoint.Parse("127.0.0.2:2");
        var options = new TestClientOptions
        {
            Servers = [UdpEndPoint.Loopback(1), second],
            Parameters = new TestParameters { Pace = PaceMode.Txtime, Direction = direction, Flows = flows },
        };

        string? fault = options.FindPaceFault(server => server == second.Address ? "no fq" : null);
        Assert.Equal(isFault ? "no fq" : null, fault);
    }

    [Theory]
    [InlineData(TestDirection.Forward, 1, 1)]
    [InlineData(TestDirection.Forward, 1, 2000)]
    [InlineData(TestDirection.Forward, 3, 2000)]
    [InlineData(TestDirection.Reverse, 1, 2000)]
    [InlineData(TestDirection.Reverse, 4, 2000)]
    [InlineData(TestDirection.Both, 1, 2000)]
    [InlineData(TestDirection.Both, 3, 2000)]
    internal void Run_CountNamed_IsExactAtBothEnds(TestDirection direction, int flows, int count)
    {
        using var server = new RunningServer();

        TestReport report = RunningServer.Run(
            server.Options(count).Asking(test =>
            {
                test.Direction = direction;
                test.Flows = flows;
            }));

        string[] from = direction switch
        {
            TestDirection.Forward => ["client"],
            TestDirection.Reverse => ["server"],
            _ => ["client", "server"],
        };
        Assert.Equal(from, report.Directions.Select(static one => one.From), StringComparer.Ordinal);
        Assert.All(report.Directions, one => Assert.Equal((count, count, 0), (one.Datagrams, one.Unique, one.Lost)));
        Assert.Equal(direction != TestDirection.Reverse, report.Local.Sent is not null);
        Assert.Equal(direction != TestDirection.Reverse, report.Remote.Received is not null);
        Assert.Equal(direction != TestDirection.Forward, report.Local.Received is not null);
        Assert.Equal(direction != TestDirection.Forward, report.Remote.Sent is not null);
        Assert.Equal(flows, report.Flows);
        AssertSameStreams(report.Local.Sent, report.Remote.Received);
        AssertSameStreams(report.Remote.Sent, report.Local.Received);
    }

    [Fact]
    public void Run_SmallReceiveBuffer_LossIsSentLessUnique()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux counts the drops of a socket");
        const int count = 30_000;
        using var server = new RunningServer();

        TestReport report = RunningServer.Run(server.Options(count).Asking(test =>
        {
            test.SizeBytes = 1380;
            test.DatagramsPerSecond = null;
            test.BufferBytes = 4096;
            test.CoalescedReceive = false;
            test.SegmentedSend = false;
        }));

        TestDirectionReport forward = Assert.Single(report.Directions);
        TrafficReport received = report.Remote.Received!;
        Assert.Equal(count, forward.Datagrams);
        Assert.Equal(forward.Datagrams, forward.Unique + forward.Lost);
        Assert.Equal((forward.Lost, 0), (received.Lost, received.MissedBeforeFirst));
        Assert.Equal(forward.Lost, received.KernelDrops);
        ReaderSchedule reader = Assert.Single(received.Threads).Reader!;
        Assert.Equal((received.Datagrams, received.KernelDrops), (reader.Datagrams, reader.Drops));
        Assert.InRange(reader.CpuNanoseconds ?? 0, 1, received.Threads[0].CpuNanoseconds ?? 0);
        Assert.Equal(forward.Offered, forward.Unique + forward.LostWhere.Values.Sum() + forward.Unexplained);
        Assert.Equal(0, forward.Unexplained);
        Assert.InRange(received.BufferGrantedBytes, 1, 100_000);
    }

    [Theory]
    [InlineData("0.0.0.0:0", "127.0.0.1", "127.0.0.2")]
    [InlineData("[::]:0", "127.0.0.3", "::1")]
    [InlineData("[::]:0", "::1", "127.0.0.1")]
    [InlineData("[::1]:0", "::1", "::1")]
    public void Run_SeveralAddresses_EachFlowHasItsOwn(string local, params string[] addresses)
    {
        Wine.SkipFor("loopback-addresses");
        using var server = new RunningServer(local: UdpEndPoint.Parse(local));
        int port = server.EndPoint.Port;

        UdpEndPoint[] servers = [.. addresses.Select(address => new UdpEndPoint(IPAddress.Parse(address), port))];
        TestReport report = RunningServer.Run((server.Options() with { Servers = servers }).Asking(static test =>
        {
            test.Flows = 4;
            test.Direction = TestDirection.Both;
        }));

        Assert.Equal(addresses.Distinct(StringComparer.Ordinal).Count(), report.Servers.Length);
        Assert.All(report.Directions, static one => Assert.Equal((2000, 0), (one.Unique, one.Lost)));
        bool[] families = [.. addresses.Select(static address => address.Contains(':', StringComparison.Ordinal))];
        Assert.All([report.Local.Host!, report.Remote.Host!], host =>
        {
            Assert.Equal("lo", Assert.Single(host.Interfaces));
            Assert.Equal(families.Distinct().Count() == 1 ? families[0] : null, host.IsIPv6);
        });
    }

    [Fact]
    public void Run_Verified_HasChecksumsBothWays()
    {
        using var server = new RunningServer();

        TestReport report = RunningServer.Run(server.Options().Asking(test =>
        {
            test.Direction = TestDirection.Both;
            test.Verify = true;
            test.DeadlineSeconds = 2e-6;
        }));

        Assert.All(report.Directions, static one => Assert.Equal((2000, 0), (one.Unique, one.Lost)));
        Assert.All(
            (TrafficReport[])[report.Local.Received!, report.Remote.Received!],
            static received => Assert.Equal((0, 0), (received.Corrupted, received.UnknownDatagrams)));
        Assert.InRange(report.Remote.Received!.AfterDeadline ?? -1, 1, 2000);
    }

    [Fact]
    public void Run_RemoteCpusAutomatic_ArePinnedAtTheServer()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "threads are bound to CPUs on Linux only");
        using var server = new RunningServer();

        TestReport report = RunningServer.Run(server.Options(100).Asking(static test => test.AutomaticCpus = true));

        Assert.All(report.Remote.Received!.Threads, static thread => Assert.NotNull(thread.Cpu));
        Assert.All(report.Local.Sent!.Threads, static thread => Assert.Null(thread.Cpu));
    }

    [Fact]
    public void Run_RemoteCpusUnknown_AreRefused()
    {
        using var server = new RunningServer();

        TrafficException refusal = Assert.Throws<TrafficException>(
            () => Connect(server.Options().Asking(static test => test.Cpus = [9999])));

        Assert.Contains("has no such CPU", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_TwoClientsAtOnce_CountTheirOwn()
    {
        using var server = new RunningServer();
        using TestClient one = Connect(server.Options(1000).Asking(static test => test.Flows = 2));
        using TestClient other = Connect(server.Options(3000).Asking(test => test.Direction = TestDirection.Reverse));

        Assert.Equal(2, server.Server.ClientCount);
        TestReport[] reports = [new(), new()];
        Parallel.Invoke(
            () => reports[0] = one.Run(cancellationToken: Cancelled),
            () => reports[1] = other.Run(cancellationToken: Cancelled));

        Assert.Equal((1000, 0), (reports[0].Directions[0].Unique, reports[0].Directions[0].Lost));
        Assert.Equal((3000, 0), (reports[1].Directions[0].Unique, reports[1].Directions[0].Lost));
    }

    [Fact]
    public void Run_Cancelled_EndsEarlyWithItsReport()
    {
        using var server = new RunningServer();
        using var stop = new CancellationTokenSource();
        using TestClient client = Connect(server.Options().Asking(test =>
        {
            test.Direction = TestDirection.Both;
            test.DatagramCount = null;
            test.DatagramsPerSecond = 1000;
            test.IntervalSeconds = 0.1;
        }));

        TestReport report = client.Run((_, _) => stop.Cancel(), stop.Token);

        Assert.Equal(2, report.Directions.Length);
        Assert.All(report.Directions, static one => Assert.Equal(0, one.Lost));
        Assert.All(report.Directions, static one => Assert.InRange(one.Datagrams, 1, 15_000));
    }

    [Fact]
    public void Run_Reports_NameBothEnds()
    {
        using var server = new RunningServer();

        TestReport report = RunningServer.Run(server.Options().Asking(test =>
        {
            test.Label = "näme \u001b[31m";
            test.DatagramsPerSecond = 4000;
            test.IntervalSeconds = 0.1;
        }));

        Assert.Equal("näme \u001b[31m", report.Label);
        Assert.Equal([server.EndPoint.ToString()], report.Servers);
        Assert.InRange(report.RoundTrip.Samples, 1, 1000);
        Assert.InRange(report.RoundTrip.MinMicroseconds, 1, report.RoundTrip.MedianMicroseconds);
        Assert.InRange(report.RoundTrip.MaxMicroseconds, report.RoundTrip.P99Microseconds, 1e7);
        Assert.InRange(report.Remote.Received!.Intervals.Length, 2, SentReport.MaxIntervals);
        Assert.Equal(
            report.Remote.Received.Datagrams, report.Remote.Received.Intervals.Sum(static one => one.Datagrams));
        Assert.All(report.Remote.Received.Intervals, static one => Assert.Equal("receive", one.Threads[0].Role));
        Assert.Equal(report.Local.Sent!.Intervals.Sum(static one => one.Datagrams), report.Directions[0].Datagrams);
        Assert.NotEmpty(report.Remote.Received.Kernel);
    }

    [Fact]
    public void Run_BothDirections_CountTheThreadsOfEachForTheOther()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "what CPUs do comes from Linux's /proc");
        using var server = new RunningServer();

        TestReport report = RunningServer.Run(server.Options().Asking(test =>
        {
            test.Direction = TestDirection.Both;
            test.DatagramsPerSecond = 4000;
            test.AllCores = true;
        }));

        foreach (TestEndReport end in (TestEndReport[])[report.Local, report.Remote])
        {
            foreach (TrafficReport one in (TrafficReport[])[end.Sent!, end.Received!])
            {
                string[] roles = [.. one.Cores.SelectMany(static core => core.Roles)];
                Assert.Contains("receive", roles, StringComparer.Ordinal);
                Assert.Contains("send", roles, StringComparer.Ordinal);
            }
        }
    }

    [Fact]
    public void Connect_NobodyListens_SaysSo()
    {
        Wine.SkipFor("icmp-errors-connected");
        using UdpSocket closed = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        UdpEndPoint nobody = closed.LocalEndPoint;
        closed.Dispose();

        TrafficException fault = Assert.Throws<TrafficException>(
            () => Connect(new TestClientOptions { Servers = [nobody] }));

        Assert.Contains("no program listens", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_ServerStops_EndsWithTheReason()
    {
        var server = new RunningServer();
        using TestClient client = Connect(
            server.Options().Asking(test =>
            {
                test.DatagramCount = null;
                test.DatagramsPerSecond = 1000;
            }));
        long start = Stopwatch.GetTimestamp();
        server.Dispose();

        TrafficException fault = Assert.Throws<TrafficException>(() => client.Run(cancellationToken: Cancelled));

        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, Patience);
        Assert.InRange(fault.Message.Length, 10, 200);
    }

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    private static TestClient Connect(TestClientOptions options) =>
        TestClient.Connect(options, cancellationToken: Cancelled);

    private static void AssertSameStreams(TrafficReport? sent, TrafficReport? received) => Assert.Equal(
        sent?.PerStream.Select(static one => (one.StreamId, one.Datagrams)).Order(),
        received?.PerStream.Select(static one => (one.StreamId, one.Datagrams)).Order());
}
