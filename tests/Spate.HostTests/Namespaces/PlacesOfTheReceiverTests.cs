using System.Globalization;
using System.Text.RegularExpressions;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.HostTests.Namespaces;

/// <summary>
/// Losses that are provoked in one known place at the receiving host, between two namespaces: the verdict names the
/// place and what helps, and that helps.
/// </summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class PlacesOfTheReceiverTests : IDisposable
{
    private const int SmallMtuBytes = 900;
    private const int SmallBufferBytes = 4096;

    private readonly TestPair _pair = new();

    public void Dispose() => _pair.Dispose();

    [Fact]
    public void Test_ReceiversMtuTooSmall_NamesTheInterfaceAndTheSize()
    {
        TestDirectionReport one = _pair.RunOne(
            TestPair.Plain, _ => _pair.Server.Ip($"link set veth0 mtu {SmallMtuBytes}"));

        TestPair.AllLostAt(
            "receiverInterface",
            $"the receiver's interface veth0, whose MTU of {SmallMtuBytes} bytes is too small for datagrams of 1000",
            $"--size {SmallMtuBytes - TestPair.HeaderBytes}",
            one);
        _pair.RunWithRemedy(TestPair.Plain, one.Remedy);
    }

    [Fact]
    public void Test_RouteBackByAnotherInterface_NamesTheReversePathFilter()
    {
        Programs.Require("sysctl", "procps");
        _pair.Server.Ip("link add veth1 type veth peer name veth2");
        _pair.Server.Ip("link set veth1 up");
        _pair.Server.Ip("link set veth2 up");
        _pair.Server.Execute("sysctl -w net.ipv4.conf.veth0.rp_filter=1");

        TestDirectionReport one = RunAskew();

        TestPair.AllLostAt(
            "ip",
            "the receiving host's IP, whose reverse path filter rejected the sender's address (IPReversePathFilter ",
            "sysctl -w net.ipv4.conf.veth0.rp_filter=2",
            one);
        _pair.Server.Execute(one.Remedy!);
        TestPair.AllArrives(RunAskew());

        TestDirectionReport RunAskew() => _pair.RunBroken(
            TestPair.Plain,
            () => _pair.Server.Ip($"route add {TestPair.ClientAddress}/32 dev veth1"),
            () => _pair.Server.Ip($"route delete {TestPair.ClientAddress}/32 dev veth1"));
    }

    [Theory]
    [InlineData(0, "which does not have the address (InAddrErrors ", "ip address", TestPair.ServerAddress)]
    [InlineData(1, "which found no route (InNoRoutes ", "ip route", "10.77.0.0")]
    public void Test_AddressTakenAway_NamesIp(int forwards, string reason, string remedy, string missing)
    {
        // A router looks for a route to an address that is not its own (ip_route_input_slow, net/ipv4/route.c).
        Programs.Require("sysctl", "procps");
        _pair.Server.Execute($"sysctl -w net.ipv4.ip_forward={forwards}");
        string said = missing;

        TestDirectionReport one = _pair.RunBroken(
            TestPair.Plain,
            () =>
            {
                _pair.Server.Ip($"address delete {TestPair.ServerAddress}/24 dev veth0");
                said = _pair.Server.Execute(remedy);
            },
            () => _pair.Server.Ip($"address add {TestPair.ServerAddress}/24 dev veth0"));

        TestPair.AllLostAt("ip", $"the receiving host's IP, {reason}", remedy, one);
        Assert.DoesNotContain(missing, said, StringComparison.Ordinal);
        TestPair.AllArrives(_pair.RunOne(TestPair.Plain));
    }

    [Fact]
    public void Test_FragmentsOfANarrowPathWithoutRoom_NamesFragments()
    {
        Programs.Require("sysctl", "procps");
        _pair.Client.Ip($"route change 10.77.0.0/24 dev veth0 mtu {SmallMtuBytes}");
        _pair.Server.Execute("sysctl -w net.ipv4.ipfrag_low_thresh=0");
        _pair.Server.Execute("sysctl -w net.ipv4.ipfrag_high_thresh=0");

        TestDirectionReport one = _pair.RunOne(TestPair.Plain);

        TestPair.AllLostAt(
            "ip", "the receiving host's IP, which could not reassemble fragments (ReasmFails ", "--size mtu", one);
        _pair.RunWithRemedy(TestPair.Plain, one.Remedy, SmallMtuBytes);
    }

    [Fact]
    public void Test_RuleThatDropsSecondFragments_AdvisesWholeDatagrams()
    {
        _pair.Server.RequireNft();
        _pair.Server.AddRule(
            "netdev", "hook ingress device veth0 priority 0", "ip frag-off and 0x1fff != 0 drop");
        TestClientOptions options = TestPair.Plain.Asking(static test => test.SizeBytes = 2000);

        TestDirectionReport one = _pair.RunOne(options);

        Assert.Equal(one.Offered, one.Unexplained);
        Assert.Equal(
            "100 % of the loss is unexplained, because the counters count fragments, not datagrams: "
                + "--size mtu",
            one.Verdict);
        _pair.RunWithRemedy(options, one.Remedy);
    }

    [Theory]
    [InlineData("ip", "hook input priority 0", "counter drop", "between IP and UDP")]
    [InlineData("ip", "hook input priority 0", "drop", "between IP and UDP")]
    [InlineData("ip", "hook prerouting priority -300", "drop", "between IP and UDP")]
    [InlineData("netdev", "hook ingress device veth0 priority 0", "counter drop", "between its interface and IP")]
    [InlineData("netdev", "hook ingress device veth0 priority 0", "drop", "between its interface and IP")]
    public void Test_RuleThatDropsOneOfTwoFlows_NamesTheFirewall(string family, string hook, string verb, string where)
    {
        _pair.Server.RequireNft();
        TestClientOptions options = TestPair.Plain.Asking(static test => test.Flows = 2);

        TestDirectionReport one = _pair.RunOne(
            options, client => _pair.Server.AddRule(family, hook, $"udp sport {TestPair.PortOf(client)} {verb}"));

        TestPair.AllLostAt("firewall", "a firewall of the receiving host (", "nft list ruleset", one);
        Assert.Contains(where, one.Verdict, StringComparison.Ordinal);
        Assert.InRange(one.LostPercent, 25, 75);
        Assert.Contains("udp sport", _pair.Server.Execute(one.Remedy!), StringComparison.Ordinal);
        _pair.Server.Execute("nft flush ruleset");
        TestPair.AllArrives(_pair.RunOne(options));
    }

    [Fact]
    public void Test_PathThatDropsDataAndTheTestsOwnMessages_CountsTheDataAlone()
    {
        const int DataUdpBytes = TestPair.SizeBytes + 8;
        _pair.Server.RequireNft();
        string rule = $"udp dport {TestPair.Port} udp length";
        TestClientOptions options =
            TestPair.Plain.Asking(static test => test.DatagramsPerSecond = 4000) with { Cpus = [0] };
        TestReport report = _pair.Run(options, _ =>
        {
            _pair.Server.AddRule(
                "netdev",
                "hook ingress device veth0 priority 0",
                $"{rule} {DataUdpBytes} numgen inc mod 10 == 0 counter drop");
            _pair.Server.Execute(
                $"nft add rule netdev spate drops {rule} != {DataUdpBytes} numgen inc mod 5 == 0 counter drop");
        });

        TestDirectionReport one = Assert.Single(report.Directions);
        long[] drops = Numbers(_pair.Server.Execute("nft list ruleset"), @"(?<=counter packets )\d+");
        Assert.Equal(2, drops.Length);
        Assert.NotEqual(0, drops[1]);
        Assert.Equal(drops[0], one.Lost);
        Assert.Equal(0, report.Remote.Received!.Reordered);
        TestPair.AllLostAt("firewall", "a firewall of the receiving host (", "nft list ruleset", one);

        // The counter has the messages that were dropped before it was read, and not the later ones. A few frames of
        // other protocols, such as ARP, may be in it.
        long counted = Assert.Single(Numbers(one.Verdict!, @"\d+(?= packets vanished)"));
        Assert.InRange(counted, drops[0] + 1, drops.Sum() + 10);
    }

    [Fact]
    public void Test_PortWithoutASocket_NamesUdp()
    {
        _pair.Server.RequireNft();
        TestClientOptions options = TestPair.Plain.Asking(static test => test.Flows = 2);

        // Behind the handshake, so that the flow has begun and its data goes to a port where nobody is.
        TestDirectionReport one = _pair.RunOne(
            options,
            client => _pair.Server.AddRule(
                "ip", "hook prerouting priority -300", $"udp sport {TestPair.PortOf(client)} udp dport set 9"));

        TestPair.AllLostAt(
            "udp", "the receiving host's UDP, which has no socket at the port (NoPorts ", "ss -lun", one);
        Assert.DoesNotContain(":9 ", _pair.Server.Execute(one.Remedy!), StringComparison.Ordinal);
        _pair.Server.Execute("nft flush ruleset");
        TestPair.AllArrives(_pair.RunOne(options));
    }

    [Fact]
    public void Test_SmallReceiveBuffer_NamesTheBuffer()
    {
        TestClientOptions options = TestPair.Plain.Asking(test =>
        {
            test.DatagramsPerSecond = 40_000;
            test.BufferBytes = SmallBufferBytes;
        });

        TestReport report = _pair.Run(options);

        TestPair.SkipIfReaderWaited(report.Remote);
        TestDirectionReport one = Assert.Single(report.Directions);
        TestPair.AllLostAt("socket", "this socket's receive buffer (", "--remote-buffer 4194304", one);
        Assert.Contains($"{SmallBufferBytes} requested", one.Verdict, StringComparison.Ordinal);
        _pair.RunWithRemedy(options, one.Remedy);
    }

    private static long[] Numbers(string text, string pattern) =>
    [
        .. Regex.Matches(text, pattern, RegexOptions.None, TimeSpan.FromSeconds(1)).Select(
            static match => long.Parse(match.Value, CultureInfo.InvariantCulture)),
    ];
}
