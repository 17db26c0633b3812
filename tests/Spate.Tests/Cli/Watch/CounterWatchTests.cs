using Spate.Cli.Watch;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Reading.Interfaces;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.Cli.Watch;

/// <summary>What a recorded host counts while it is watched.</summary>
public sealed class CounterWatchTests : IDisposable
{
    private const string Net = "proc/thread-self/net/";
    private const int StatisticsBytes = 24 * sizeof(ulong);

    private readonly FakeHost _host = new();

    // Each reading of the CPUs shows more work than the one before.
    private int _userTicks;

    public CounterWatchTests()
    {
        Sockets(drops: 10);
        Udp(inErrors: 10, refused: 10);
        Cpus("0", "1");
        Links(Link("eth0", rxDropped: 5));
        _host.With("proc/77/comm", "server\n").WithLink("proc/77/fd/3", "socket:[501]");
    }

    public void Dispose() => _host.Dispose();

    [Fact]
    public void Take_NothingGrew_MarksNothing()
    {
        using CounterWatch watch = Watch();

        AssertQuiet(watch.Take());
        AssertQuiet(watch.TakeWhole());
    }

    [Fact]
    public void Take_SocketThatDrops_IsNamedInThatIntervalOnly()
    {
        using CounterWatch watch = Watch();
        Sockets(drops: 17);
        Udp(inErrors: 17, refused: 17);

        WatchReport time = watch.Take();

        WatchSocket socket = Assert.Single(time.Sockets);
        Assert.Equal(new WatchSocket(9999, "server", 0, 212_992, 7, 7 / time.Seconds), socket);
        Assert.Equal(
            "UDP UdpInErrors 7, UDP UdpRcvbufErrors 7",
            string.Join(", ", time.Counters.Select(static one => $"{one.Place} {one.Name} {one.Growth}")));
        Assert.Contains(time.Checks, static one => one is { Id: "socket-drops", Growth: 7 });
        AssertQuiet(watch.Take());
        WatchReport whole = watch.TakeWhole();
        Assert.Equal(7, Assert.Single(whole.Sockets).Drops);
        Assert.Contains(whole.Checks, static one => one is { Id: "socket-drops", Growth: 7 });
    }

    [Fact]
    public void TakeWhole_ProgramThatEnded_IsNamed()
    {
        using CounterWatch watch = Watch();
        Sockets(drops: 17);
        _ = watch.Take();
        AssertQuiet(watch.Take());
        File.Delete(Path.Combine(_host.RootPath, "proc/77/fd/3"));

        Assert.Equal("server", Assert.Single(watch.TakeWhole().Sockets).Program);
    }

    [Fact]
    public void Take_CountersThatWentBack_HaveNotGrown()
    {
        using CounterWatch watch = Watch();
        Udp(inErrors: 3, refused: 2);
        Links(Link("eth0", rxDropped: 1));

        AssertQuiet(watch.Take());
    }

    [Fact]
    public void Take_InterfaceThatIsGone_IsLeftOut()
    {
        using CounterWatch watch = Watch();
        Links(Link("eth0", rxDropped: 8));
        Assert.Equal("rx_dropped", Assert.Single(watch.Take().Counters).Name);
        Links(Link("other", rxDropped: 9, index: 3));

        AssertQuiet(watch.Take());
        Assert.Empty(watch.TakeWhole().Interfaces);
    }

    [Fact]
    public void Take_CpuThatIsPluggedInOrOut_IsLeftOut()
    {
        using CounterWatch watch = Watch();
        Cpus("1", "2");

        WatchReport time = watch.Take();

        AssertQuiet(time);
        Assert.Equal([1], time.Cores.Select(static one => one.Cpu));
        Cpus(dropped: 4, "1", "2");
        Assert.Equal("CPU 1 CPU 2", string.Join(' ', watch.Take().Counters.Select(static one => one.Place)));
    }

    [Fact]
    public void Take_HostileNames_AreEscaped()
    {
        Links(Link("e\u001b[2J", rxDropped: 1));
        _host.With("proc/77/comm", "x\u001b[2J\n");
        using CounterWatch watch = Watch("e\u001b[2J");
        Links(Link("e\u001b[2J", rxDropped: 2));
        Sockets(drops: 11);

        WatchReport time = watch.Take();

        Assert.Equal(@"x\x1b[2J", Assert.Single(time.Sockets).Program);
        Assert.All(time.Counters, static one => Assert.Equal(@"e\x1b[2J", one.Place));
        Assert.NotEmpty(time.Counters);
    }

    [Fact]
    public void Take_FirewallWithinThePause_IsReadAtTheEndOnly()
    {
        _host.With("firewall/nft", Rule(packets: 1));
        using CounterWatch watch = Watch();
        _host.With("firewall/nft", Rule(packets: 5));

        AssertQuiet(watch.Take());
        Assert.Contains(watch.TakeWhole().Checks, static one => one is { Id: "firewall", Growth: 4 });
    }

    [Fact]
    public void Take_ProblemOfAnInterval_StaysAProblemOfTheWhole()
    {
        using CounterWatch watch = Watch();
        Links(Link("eth0", rxDropped: 5, txErrors: 3));
        Assert.Contains(watch.Take().Checks, static one => one is { Id: "card-drops", Interface: "eth0", Growth: 3 });
        Links();

        Assert.Contains(watch.TakeWhole().Checks, static one => one is { Id: "card-drops", Growth: 3 });
    }

    private static void AssertQuiet(WatchReport time)
    {
        Assert.Empty(time.Counters);
        Assert.Empty(time.Checks);
        Assert.Empty(time.Sockets);
    }

    private static byte[] Link(string name, ulong rxDropped, ulong txErrors = 0, int index = 2)
    {
        ulong[] counts = new ulong[StatisticsBytes / sizeof(ulong)];
        (counts[5], counts[6]) = (txErrors, rxDropped);
        return NetlinkBytes.Link(index, name, NetlinkBytes.Attribute(23, NetlinkBytes.Numbers(counts)));
    }

    private static string Rule(int packets) =>
        $$"""
        { "nftables": [ { "rule": { "family": "inet", "table": "t", "chain": "c", "handle": 4, "expr": [
        { "counter": { "bytes": 9, "packets": {{packets}} } }, { "drop": null }
        ] } } ] }
        """;

    private CounterWatch Watch(string interfaceName = "eth0") => new(
        new CheckOptions { RootPath = _host.RootPath, IncludesAllInterfaces = true },
        TimeProvider.System,
        showsAllCores: true,
        [new InterfaceFacts(interfaceName, IsUp: true, IsLoopback: false, 1500, [])]);

    private void Links(params byte[][] links) =>
        _host.With("netlink/links", [.. links.SelectMany(static one => one), .. NetlinkBytes.End()]);

    private void Sockets(uint drops) =>
        _host.With("netlink/sockets4", [.. NetlinkBytes.Socket(501, 9999, drops), .. NetlinkBytes.End()]);

    private void Udp(int inErrors, int refused) => _host.With(
        Net + "snmp",
        "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors\n"
            + $"Udp: 0 0 {inErrors} 0 {refused} 0 0\n");

    private void Cpus(params string[] numbers) => Cpus(dropped: 0, numbers);

    private void Cpus(int dropped, params string[] numbers)
    {
        string zeros = string.Join(' ', Enumerable.Repeat("00000000", 8));
        _userTicks += 10;
        _host.With("proc/stat", "cpu 0 0 0 0 0 0 0 0 0 0\n"
            + string.Concat(numbers.Select(one => $"cpu{one} {_userTicks} 0 10 900 0 0 5 0 0 0\n")));
        _host.With(Net + "softnet_stat", string.Concat(
            numbers.Select(one => $"00000001 {dropped:x8} 00000000 {zeros} 00000000 0000000{one}\n")));
    }
}
