using System.Net;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Placement;

public sealed class PlacementSurveyTests
{
    private const string UdpHeader =
        "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    [Theory]
    [InlineData("127.0.0.1", true, "")]
    [InlineData("::ffff:127.0.0.1", true, "")]
    [InlineData("::1", true, "")]
    [InlineData("0.0.0.0", false, "eth0")]
    [InlineData("::", false, "eth0")]
    [InlineData("239.1.2.3", false, "eth0")]
    [InlineData("198.51.100.2", false, "eth1")]
    [InlineData("203.0.113.9", false, "")]
    public void Find_Address_GivesItsInterfaces(string address, bool isLoopback, string expected)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();

        ServingInterfaces found = ServingInterfaces.Find(
            IPAddress.Parse(address), FakeMachines.Interfaces, host.RootPath);

        Assert.Equal((isLoopback, expected), (found.IsLoopback, string.Join(' ', found.Names)));
    }

    [Theory]
    [InlineData("00000001", "eth1")]
    [InlineData("00000201", "")]
    [InlineData("00000000", "")]
    [InlineData("zz", "")]
    public void Find_Ipv6DefaultRoute_CountsUnlessItRejects(string flags, string expected)
    {
        const string Zero = "00000000000000000000000000000000";
        using FakeHost host = new FakeHost().With(
            "proc/net/ipv6_route",
            $"{Zero} 00 {Zero} 00 fd000000000000000000000000000001 00000400 00000003 00000000 {flags}     eth1\n");

        ServingInterfaces found = ServingInterfaces.Find(
            IPAddress.IPv6Any, FakeMachines.Interfaces, host.RootPath);

        Assert.Equal(expected, string.Join(' ', found.Names));
    }

    [Fact]
    public void LocalEnd_PinnedReceiver_IsFoundWithItsAddressAndCpus()
    {
        using FakeHost host = WithReceiver(FakeMachines.TwoCoreVirtio(), "00000000:270F", "1");

        LocalEnd end = LocalEnd.Find(9999, findReceiver: true, host.RootPath);

        Assert.Equal((1, IPAddress.Any), (end.SocketCount, end.BoundTo));
        Assert.Equal([1], end.PinnedCpus);
        Assert.Equal(0, LocalEnd.Find(9998, findReceiver: true, host.RootPath).SocketCount);
        Assert.Equal(0, LocalEnd.Find(9999, findReceiver: false, host.RootPath).SocketCount);
        Assert.Equal(0, LocalEnd.Find(0, findReceiver: false, host.RootPath).SocketCount);
    }

    [Fact]
    public void LocalEnd_DamagedTable_IsNothing()
    {
        using FakeHost host = new FakeHost().With(
            "proc/net/udp",
            UdpHeader + " 1: 0100007F 00000000:0000 07 0:0 00:0 0 0 0 7\n 2: :::: a b c d e f g 7\n"
            + " 3: XXXXXXXX:270F 00000000:0000 07 0:0 00:0 0 0 0 7\n 4: 0100007F:FFFFF 0:0 07 0:0 00:0 0 0 0 7\n");

        Assert.Equal(0, LocalEnd.Find(9999, findReceiver: true, host.RootPath).SocketCount);
    }

    [Fact]
    public void Read_SenderToAPinnedReceiver_KeepsApartFromWhereItIs()
    {
        using FakeHost host = WithReceiver(FakeMachines.TwoCoreVirtio(), "0100007F:270F", "0");

        CpuPlanOptions request = Read(host, IPAddress.Loopback, isReceiver: false);

        Assert.Equal([0], request.OtherEndCpus);
        Assert.False(request.OtherEndIsExpected);
        Assert.Equal(1, Make(host, request).Threads[0].Number);
        Assert.Equal(
            "the loopback has no interrupts; same last-level cache as CPU 0, where the receiver runs",
            Make(host, request).Threads[0].Why);
    }

    [Theory]
    [InlineData("00000000:270F", 0)]
    [InlineData("0100007F:270F", 1)]
    public void Read_SenderToAReceiverNotPinnedYet_ExpectsWhereAutoPutsIt(string bound, int expected)
    {
        using FakeHost host = WithReceiver(FakeMachines.TwoCoreVirtio(), bound, "0-1");
        IPAddress address = bound.StartsWith('0') && bound[1] == '0' ? IPAddress.Any : IPAddress.Loopback;

        CpuPlanOptions sender = Read(host, IPAddress.Loopback, isReceiver: false);

        int receiver = Make(host, Read(host, address, isReceiver: true)).Threads[0].Number;
        Assert.Equal(expected, receiver);
        Assert.Equal([expected], sender.OtherEndCpus);
        Assert.True(sender.OtherEndIsExpected);
        Assert.NotEqual(receiver, Make(host, sender).Threads[0].Number);
    }

    [Fact]
    public void Read_ReceiverBesideASender_KeepsApartFromIt()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With("proc/net/udp", UdpHeader + Row("0100007F:A6D1", "0100007F:270F", 77))
            .WithLink("proc/55/fd/3", "socket:[77]")
            .With("proc/55/task/55/status", "Cpus_allowed_list:\t0-1\n")
            .With("proc/55/task/56/status", "Cpus_allowed_list:\t1\n");

        CpuPlanOptions request = Read(host, IPAddress.Loopback, isReceiver: true);

        Assert.Equal([1], request.OtherEndCpus);
        Assert.Equal(0, Make(host, request).Threads[0].Number);
    }

    [Theory]
    [InlineData("1", new[] { 1 }, false)]
    [InlineData("0-1", new[] { 1 }, true)]
    public void Read_SenderWhosePortItIs_TakesItsOwnSocketsForNoReceiver(
        string allowed, int[] others, bool isExpected)
    {
        // Two sockets of a server at its port, and two of a client that are connected to it: for control and for data.
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With("proc/net/udp", UdpHeader
                + Row("0100007F:270F", "00000000:0000", 71) + Row("0100007F:270F", "0100007F:A6D1", 72)
                + Row("0100007F:A6D0", "0100007F:270F", 76) + Row("0100007F:A6D1", "0100007F:270F", 77))
            .WithLink("proc/54/fd/3", "socket:[71]")
            .WithLink("proc/54/fd/4", "socket:[72]")
            .With("proc/54/task/54/status", "Cpus_allowed_list:\t0-1\n")
            .WithLink("proc/55/fd/3", "socket:[77]")
            .With("proc/55/task/55/status", "Cpus_allowed_list:\t0-1\n")
            .With("proc/55/task/56/status", $"Cpus_allowed_list:\t{allowed}\n");

        CpuPlanOptions request = Read(host, IPAddress.Loopback, isReceiver: false, ownsPort: true);

        Assert.Equal(others, request.OtherEndCpus);
        Assert.Equal(isExpected, request.OtherEndIsExpected);
        Assert.Equal(0, Make(host, request).Threads[0].Number);
    }

    private static FakeHost WithReceiver(FakeHost host, string bound, string allowed) => host
        .With("proc/net/udp", UdpHeader + Row(bound, "00000000:0000", 4242))
        .WithLink("proc/31/fd/0", "/dev/null")
        .WithLink("proc/31/fd/9", "socket:[424]")
        .With("proc/31/task/31/status", "Cpus_allowed_list:\t1\n")
        .WithLink("proc/32/fd/9", "socket:[4242]")
        .With("proc/32/task/32/status", "Cpus_allowed_list:\t0-1\n")
        .With("proc/32/task/33/status", $"Name:\tx\nCpus_allowed_list:\t{allowed}\n");

    private static string Row(string local, string remote, int inode) =>
        $" 3751: {local} {remote} 07 00000000:00000000 00:00000000 00000000     0        0 {inode} 2 0000000 0\n";

    private static CpuPlanOptions Read(
        FakeHost host, IPAddress address, bool isReceiver, bool? ownsPort = null) => PlacementSurvey.Read(
            CpuFacts.Read(host.RootPath),
            [new IPEndPoint(address, 9999)],
            threadCount: 1,
            isReceiver,
            FakeMachines.Interfaces,
            host.RootPath,
            ownsPort);

    private static CpuPlan Make(FakeHost host, CpuPlanOptions request) =>
        CpuPlan.Make(CpuFacts.Read(host.RootPath), request);
}
