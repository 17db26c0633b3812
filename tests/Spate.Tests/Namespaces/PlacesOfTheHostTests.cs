using Spate.Measurement.Testing;

namespace Spate.Tests.Namespaces;

/// <summary>Provoked losses that need a setting of the whole host, which is put back on every exit.</summary>
[Collection(AloneCollection.Name)]
public sealed class PlacesOfTheHostTests : IDisposable
{
    private const int SmallTable = 4;

    private readonly TestPair _pair = new();

    public void Dispose() => _pair.Dispose();

    [Fact]
    public void Test_FullTableOfConnections_NamesTheTable()
    {
        PlacesOfLossTests.RequireNft(_pair.Server);
        using var limit = new HostSetting("/proc/sys/net/netfilter/nf_conntrack_max");

        // The test's own port is not tracked, so that handshake and control get through. Everything else is.
        _pair.Server.Execute("nft", "add chain ip spate raw { type filter hook prerouting priority -300 ; }");
        _pair.Server.Execute("nft", "add chain ip spate answers { type filter hook output priority -300 ; }");
        _pair.Server.Execute("nft", "add chain ip spate in { type filter hook input priority 0 ; }");
        _pair.Server.Execute("nft", $"add rule ip spate raw udp dport {TestPair.Port} notrack");
        _pair.Server.Execute("nft", $"add rule ip spate answers udp sport {TestPair.Port} notrack");
        _pair.Server.Execute("nft", "add rule ip spate in ct state invalid accept");
        using UdpSocket receiver = _pair.Server.Bind($"{TestPair.ServerAddress}:0");
        for (int i = 0; i <= SmallTable; i++)
        {
            using UdpSocket other = _pair.Client.Bind($"{TestPair.ClientAddress}:0");
            other.SendTo(new byte[10], receiver.LocalEndPoint);
        }

        limit.Set(SmallTable);
        void TrackTheFlow(TestClient client) => _pair.Server.Execute(
            "nft", $"insert rule ip spate raw udp sport {client.FirstSocket.LocalEndPoint.Port} accept");

        TestDirectionReport one = _pair.RunOne(TestPair.Plain with { FlowCount = 2 }, TrackTheFlow);

        const int helped = 2 * SmallTable;
        TestPair.AllLostAt(
            "firewall",
            "the receiving host's full connection tracking table (",
            $"sysctl -w net.netfilter.nf_conntrack_max={helped}",
            one);
        limit.Set(helped);
        TestPair.AllArrives(_pair.RunOne(TestPair.Plain with { FlowCount = 2 }, TrackTheFlow));
    }

    [Fact]
    public void Test_FullBacklog_NamesTheBacklog()
    {
        Assert.SkipUnless(Environment.ProcessorCount >= 2, "one CPU for the sender and one for the backlog are needed");
        using var limit = new HostSetting("/proc/sys/net/core/netdev_max_backlog");

        // Receive packet steering puts what CPU 0 sends into the queue of CPU 1, which is slower to take it.
        _pair.Server.Execute("sh", "-c \"echo 2 >/sys/class/net/veth0/queues/rx-0/rps_cpus\"");
        TestClientOptions options = TestPair.Plain with { DatagramsPerSecond = 40_000, CpuIndexes = [0] };
        limit.Set(0);

        TestDirectionReport one = _pair.RunOne(options);

        const int helped = 10_000;
        TestPair.AllLostAt(
            "backlog",
            "the backlog queue of the receiving host's CPUs (",
            $"sysctl -w net.core.netdev_max_backlog={helped}",
            one);
        limit.Set(helped);
        TestPair.AllArrives(_pair.RunOne(options));
    }
}
