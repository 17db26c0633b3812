using Spate.Measurement.Testing;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Namespaces;

/// <summary>
/// Losses that are provoked in one known place between two namespaces: the verdict names the place and what helps, and
/// that helps.
/// </summary>
[Collection(AloneCollection.Name)]
public sealed class PlacesOfLossTests : IDisposable
{
    private const int SmallMtuBytes = 900;
    private const int SmallBufferBytes = 4096;

    private readonly TestPair _pair = new();

    public void Dispose() => _pair.Dispose();

    [Fact]
    public void Test_SmallReceiveBuffer_NamesTheBuffer()
    {
        TestClientOptions options = TestPair.Plain with
        {
            DatagramsPerSecond = 40_000,
            RemoteBufferBytes = SmallBufferBytes,
        };

        TestReport report = _pair.Run(options);

        TrafficReport received = report.Remote.Received!;
        double waited = received.Threads.Max(static thread => thread.Reader!.WaitingSeconds);
        Assert.SkipWhen(
            waited / received.Seconds > 0.2,
            "other programs keep the CPUs so busy that the reader waits");
        TestDirectionReport one = Assert.Single(report.Directions);
        TestPair.AllLostAt("socket", "this socket's receive buffer (", "--remote-buffer 4194304", one);
        Assert.Contains($"{SmallBufferBytes} asked", one.Verdict, StringComparison.Ordinal);
        _pair.RunWithRemedy(options, one.Remedy);
    }

    [Fact]
    public void Test_SlowQueue_NamesTheQueueAndItsRate()
    {
        RequireTc();
        _pair.Client.Execute("tc", "qdisc add dev veth0 root tbf rate 10mbit burst 10000 limit 60000");
        TestClientOptions options = TestPair.Plain with { DatagramsPerSecond = 10_000 };

        TestDirectionReport one = _pair.RunOne(options);

        TestPair.AllLostAt("senderQueue", "the sender's queue tbf on veth0 (", one.Remedy, one);
        _pair.RunWithRemedy(options, one.Remedy);
    }

    [Fact]
    public void Test_RateThatCannotBeKept_NamesTheSender()
    {
        RequireTc();

        // The queue has room for all that the socket's small buffer allows, so the sender waits and nothing is dropped.
        _pair.Client.Execute("tc", "qdisc add dev veth0 root tbf rate 10mbit burst 10000 limit 1000000");
        TestClientOptions options = TestPair.Plain with
        {
            DatagramsPerSecond = 10_000,
            Duration = TimeSpan.FromSeconds(2),
            Transport = TestPair.Plain.Transport with { BufferBytes = 20_000 },
        };

        TestDirectionReport one = _pair.RunOne(options);

        TestPair.AllLostAt(
            "senderApplication", "the sender, which could not keep the rate and skipped ", one.Remedy, one);
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
        RequireNft(_pair.Server);
        TestClientOptions options = TestPair.Plain with { FlowCount = 2 };

        TestDirectionReport one = _pair.RunOne(
            options, client => AddRule(_pair.Server, family, hook, $"udp sport {PortOf(client)} {verb}"));

        TestPair.AllLostAt("firewall", "a firewall of the receiving host (", "nft list ruleset", one);
        Assert.Contains(where, one.Verdict, StringComparison.Ordinal);
        Assert.InRange(one.LostPercent, 49, 51);
        _pair.Server.Execute("nft", "flush ruleset");
        TestPair.AllArrives(_pair.RunOne(options));
    }

    [Fact]
    public void Test_RuleOfTheSenderThatRefuses_NamesTheSendersFirewall()
    {
        RequireNft(_pair.Client);
        TestClientOptions options = TestPair.Plain with { FlowCount = 2 };

        TestDirectionReport one = _pair.RunOne(
            options,
            client => AddRule(_pair.Client, "ip", "hook output priority 0", $"udp sport {PortOf(client)} drop"));

        TestPair.AllLostAt("senderApplication", "the sending host, which refused ", "nft list ruleset", one);
        Assert.Contains("by a firewall", one.Verdict, StringComparison.Ordinal);
        _pair.Client.Execute("nft", "flush ruleset");
        TestPair.AllArrives(_pair.RunOne(options));
    }

    [Fact]
    public void Test_PortWithoutASocket_NamesUdp()
    {
        RequireNft(_pair.Server);
        TestClientOptions options = TestPair.Plain with { FlowCount = 2 };

        // Behind the handshake, so that the flow has begun and its data goes to a port where nobody is.
        TestDirectionReport one = _pair.RunOne(
            options,
            client => AddRule(
                _pair.Server, "ip", "hook prerouting priority -300", $"udp sport {PortOf(client)} udp dport set 9"));

        TestPair.AllLostAt(
            "udp", "the receiving host's UDP, which has no socket at the port (NoPorts ", "ss -lun", one);
        _pair.Server.Execute("nft", "flush ruleset");
        TestPair.AllArrives(_pair.RunOne(options));
    }

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
    public void Test_SendersMtuTooSmallUnderDontFragment_NamesTheSize()
    {
        TestClientOptions options = TestPair.Plain with
        {
            Transport = TestPair.Plain.Transport with { DontFragment = true },
        };

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
    public void Test_QueueOfARouterBetween_NamesThePath()
    {
        RequireTc();
        using var pair = new TestPair(isJoined: false);
        using var router = new NetworkNamespace();
        NetworkNamespace.Join(router, "10.78.0.254/24", pair.Client, "10.78.0.2/24");
        router.Ip("link set veth0 down");
        router.Ip("link set veth0 name veth1");
        router.Ip("link set veth1 up");
        NetworkNamespace.Join(router, "10.77.0.254/24", pair.Server, TestPair.ServerAddress + "/24");
        router.Execute("sh", "-c \"echo 1 >/proc/sys/net/ipv4/ip_forward\"");
        router.Execute("tc", "qdisc add dev veth0 root tbf rate 10mbit burst 10000 limit 60000");
        pair.Client.Ip("route add default via 10.78.0.254");
        pair.Server.Ip("route add default via 10.77.0.254");
        TestClientOptions options = TestPair.Plain with { DatagramsPerSecond = 10_000 };

        TestDirectionReport one = pair.RunOne(options);

        TestPair.AllLostAt("path", "between the two hosts, where neither end counts", one.Remedy, one);
        pair.RunWithRemedy(options, one.Remedy);
    }

    internal static void RequireNft(NetworkNamespace network)
    {
        Assert.SkipUnless(NetworkNamespace.HasProgram("nft"), "the program nft (nftables) is not installed");
        Exception? fault = Record.Exception(() => network.Execute("nft", "add table ip spate"));
        Assert.SkipUnless(fault is null, $"this kernel has no nftables: {fault?.Message}");
    }

    private static void AddRule(NetworkNamespace network, string family, string hook, string rule)
    {
        network.Execute("nft", $"add table {family} spate");
        network.Execute("nft", $"add chain {family} spate drops {{ type filter {hook} ; }}");
        network.Execute("nft", $"add rule {family} spate drops {rule}");
    }

    private static void RequireTc() =>
        Assert.SkipUnless(NetworkNamespace.HasProgram("tc"), "the program tc (iproute2) is not installed");

    private static int PortOf(TestClient client) => client.FirstSocket.LocalEndPoint.Port;
}
