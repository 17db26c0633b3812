using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.HostTests.Namespaces;

/// <summary>
/// Losses that are provoked in one known place at the sending host, between two namespaces: the verdict names the place
/// and what helps, and that helps.
/// </summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class PlacesOfTheSenderTests : IDisposable
{
    private const int SmallMtuBytes = 900;

    private readonly TestPair _pair = new();

    public void Dispose() => _pair.Dispose();

    [Fact]
    public void Test_RateThatCannotBeKept_NamesTheSender()
    {
        Programs.Require("tc", "iproute2");

        // The queue has room for all that the socket's small buffer allows, so the sender waits and nothing is dropped.
        _pair.Client.Execute("tc qdisc add dev veth0 root tbf rate 10mbit burst 10000 limit 1000000");
        TestClientOptions small = TestPair.Plain with { Transport = new TransportOptions { BufferBytes = 20_000 } };
        TestClientOptions options = small.Asking(static test =>
        {
            test.DatagramsPerSecond = 10_000;
            test.Seconds = 2;
        });

        TestDirectionReport one = _pair.RunOne(options);

        Assert.Equal(one.Offered - one.Unique, one.LostWhere["senderApplication"]);
        Assert.Equal((0, one.Offered - one.Unique), (one.Lost, one.Skipped));
        Assert.StartsWith(
            "Nothing that was sent was lost, but the sender could not keep the rate and skipped ",
            one.Verdict,
            StringComparison.Ordinal);
        TestDirectionReport after = _pair.RunWithRemedy(options, one.Remedy);
        Assert.InRange(after.LostWhere["senderApplication"], 0, one.LostWhere["senderApplication"] / 10);
    }

    [Fact]
    public void Test_SendersMtuTooSmallUnderDontFragment_NamesTheSize()
    {
        TestClientOptions options = TestPair.Plain.Asking(static test => test.DontFragment = true);

        TestDirectionReport one = _pair.RunOne(
            options,
            _ =>
            {
                _pair.Server.Ip($"link set veth0 mtu {SmallMtuBytes}");
                _pair.Client.Ip($"link set veth0 mtu {SmallMtuBytes}");
            });

        TestPair.AllLostAt("senderApplication", "the sending host, which refused ", "--size mtu", one);
        Assert.Contains("larger than the path", one.Verdict, StringComparison.Ordinal);
        _pair.RunWithRemedy(options, one.Remedy, SmallMtuBytes);
    }

    [Fact]
    public void Test_RuleOfTheSenderThatRefuses_NamesTheSendersFirewall()
    {
        _pair.Client.RequireNft();
        TestClientOptions options = TestPair.Plain.Asking(static test => test.Flows = 2);

        TestDirectionReport one = _pair.RunOne(
            options,
            client => _pair.Client.AddRule(
                "ip", "hook output priority 0", $"udp sport {TestPair.PortOf(client)} drop"));

        TestPair.AllLostAt("senderApplication", "the sending host, which refused ", "nft list ruleset", one);
        Assert.Contains("by a firewall", one.Verdict, StringComparison.Ordinal);
        Assert.Contains("udp sport", _pair.Client.Execute(one.Remedy!), StringComparison.Ordinal);
        _pair.Client.Execute("nft flush ruleset");
        TestPair.AllArrives(_pair.RunOne(options));
    }

    [Fact]
    public void Test_RuleBelowTheSendersSocket_NamesTheSendersSocket()
    {
        _pair.Client.RequireNft();
        Exception? fault = Record.Exception(
            () => _pair.Client.AddRule("netdev", "hook egress device veth0 priority 0", "udp dport 1 drop"));
        Assert.SkipUnless(fault is null, $"this kernel has no egress hook: {fault?.Message}");
        TestClientOptions options = TestPair.Plain.Asking(static test => test.Flows = 2);

        TestDirectionReport one = _pair.RunOne(
            options,
            client => _pair.Client.Execute(
                $"nft add rule netdev spate drops udp sport {TestPair.PortOf(client)} drop"));

        TestPair.AllLostAt("senderSocket", "the sending host, which dropped ", "nft list ruleset", one);
        Assert.Contains("below the socket (SndbufErrors)", one.Verdict, StringComparison.Ordinal);
        Assert.InRange(one.LostPercent, 25, 75);
        Assert.Contains("udp sport", _pair.Client.Execute(one.Remedy!), StringComparison.Ordinal);
        _pair.Client.Execute("nft flush ruleset");
        TestPair.AllArrives(_pair.RunOne(options));
    }

    [Fact]
    public void Test_SlowQueue_NamesTheQueueAndItsRate()
    {
        Programs.Require("tc", "iproute2");
        _pair.Client.Execute("tc qdisc add dev veth0 root tbf rate 10mbit burst 10000 limit 60000");
        TestClientOptions options = TestPair.Plain.Asking(test =>
        {
            test.DatagramsPerSecond = 10_000;
            test.Seconds = TestPair.RateSeconds;
        });

        TestDirectionReport one = _pair.RunOne(options);

        TestPair.AllLostAt("senderQueue", "the sender's queue tbf on veth0 (", one.Remedy, one);
        _pair.RunWithRemedy(options, one.Remedy);
    }

    [Fact]
    public void Test_SlowQueueOfTheSecondFlowsInterface_IsFound()
    {
        Programs.Require("tc", "iproute2");
        _pair.Client.Ip($"link add veth1 type veth peer name veth1 netns {_pair.Server.Name}");
        _pair.Server.Ip("address add 10.79.0.1/24 dev veth1");
        _pair.Client.Ip("address add 10.79.0.2/24 dev veth1");
        _pair.Server.Ip("link set veth1 up");
        _pair.Client.Ip("link set veth1 up");
        _pair.Client.Execute("tc qdisc add dev veth1 root tbf rate 10mbit burst 10000 limit 60000");

        UdpEndPoint[] servers = [.. TestPair.Plain.Servers, UdpEndPoint.Parse($"10.79.0.1:{TestPair.Port}")];
        TestReport report = _pair.Run((TestPair.Plain with { Servers = servers }).Asking(static test =>
        {
            test.Flows = 2;
            test.DatagramsPerSecond = 10_000;
        }));

        TestDirectionReport one = Assert.Single(report.Directions);
        TestPair.AllLostAt("senderQueue", "the sender's queue tbf on veth1 (", one.Remedy, one);
        Assert.All([report.Local.Host!, report.Remote.Host!], static host => Assert.Equal(
            ["veth0", "veth1"], host.Interfaces.Order(StringComparer.Ordinal), StringComparer.Ordinal));
    }

    [Fact]
    public void Test_SlowQueueBelowTheSendersInterface_NamesBothAndTheRate()
    {
        Programs.Require("tc", "iproute2");
        Exception? fault = Record.Exception(
            () => _pair.Client.Ip("link add link veth0 name upper type macvlan mode bridge"));
        Assert.SkipUnless(fault is null, $"this kernel has no macvlan: {fault?.Message}");
        _pair.Client.Ip("address add 10.78.0.2/24 dev upper");
        _pair.Client.Ip("link set upper up");
        _pair.Server.Ip("address add 10.78.0.1/24 dev veth0");
        _pair.Client.Execute("tc qdisc add dev veth0 root tbf rate 10mbit burst 10000 limit 60000");
        TestClientOptions options = TestPair.PlainTo("10.78.0.1").Asking(test =>
        {
            test.DatagramsPerSecond = 10_000;
            test.Seconds = TestPair.RateSeconds;
        });

        TestDirectionReport one = _pair.RunOne(options);

        TestPair.AllLostAt(
            "senderInterface",
            "the sender's interface upper, whose packets a queue below it dropped (",
            one.Remedy,
            one);
        Assert.Contains(" drops of tbf on veth0): --rate ", one.Verdict, StringComparison.Ordinal);
        _pair.RunWithRemedy(options, one.Remedy);
    }

    [Fact]
    public void Test_TunnelOfTheSenderWithoutARoute_NamesTheSendersInterface()
    {
        MakeTunnel(_pair.Server, TestPair.ServerAddress, TestPair.ClientAddress, "10.78.0.1/24");
        MakeTunnel(_pair.Client, TestPair.ClientAddress, TestPair.ServerAddress, "10.78.0.2/24");
        TestClientOptions options = TestPair.PlainTo("10.78.0.1");

        TestDirectionReport one = _pair.RunBroken(
            options,
            () => _pair.Client.Ip("route delete 10.77.0.0/24"),
            () => _pair.Client.Ip("route add 10.77.0.0/24 dev veth0"));

        TestPair.AllLostAt(
            "senderInterface", "the sender's interface tunnel, which dropped ", "ip -s -s link show dev tunnel", one);
        Assert.Contains("packets (tx_carrier_errors)", one.Verdict, StringComparison.Ordinal);
        Assert.Contains("tunnel: ", _pair.Client.Execute(one.Remedy!), StringComparison.Ordinal);
        TestPair.AllArrives(_pair.RunOne(options));
    }

    private static void MakeTunnel(NetworkNamespace network, string local, string remote, string inside)
    {
        Exception? fault = Record.Exception(() => network.Ip(
            $"link add tunnel type vxlan id 7 local {local} remote {remote} dstport 4789"));
        Assert.SkipUnless(fault is null, $"this kernel has no vxlan: {fault?.Message}");
        network.Ip($"address add {inside} dev tunnel");
        network.Ip("link set tunnel up");
    }
}
