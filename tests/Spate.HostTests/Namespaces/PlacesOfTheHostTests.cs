using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.HostTests.Namespaces;

/// <summary>Provoked losses that need a setting of the whole host, which is put back on every exit.</summary>
[QuietHost("settings of the whole host are changed")]
public sealed class PlacesOfTheHostTests : IDisposable
{
    private const int SmallTable = 4;
    private const int SmallBufferBytes = 4096;
    private const int LargeBufferBytes = 8 * 1024 * 1024;

    private readonly TestPair _pair = new();

    public void Dispose() => _pair.Dispose();

    [Fact]
    public void Test_FullTableOfConnections_NamesTheTable()
    {
        _pair.Server.RequireNft();
        Programs.Require("sysctl", "procps");
        using var limit = new HostSetting("/proc/sys/net/netfilter/nf_conntrack_max");

        // The test's own port is not tracked, so that handshake and control get through. Everything else is.
        _pair.Server.Execute("nft add chain ip spate raw { type filter hook prerouting priority -300 ; }");
        _pair.Server.Execute("nft add chain ip spate answers { type filter hook output priority -300 ; }");
        _pair.Server.Execute("nft add chain ip spate in { type filter hook input priority 0 ; }");
        _pair.Server.Execute($"nft add rule ip spate raw udp dport {TestPair.Port} notrack");
        _pair.Server.Execute($"nft add rule ip spate answers udp sport {TestPair.Port} notrack");
        _pair.Server.Execute("nft add rule ip spate in ct state invalid accept");
        using UdpSocket receiver = _pair.Server.Bind($"{TestPair.ServerAddress}:0");
        for (int i = 0; i <= SmallTable; i++)
        {
            using UdpSocket other = _pair.Client.Bind($"{TestPair.ClientAddress}:0");
            other.SendTo(new byte[10], receiver.LocalEndPoint);
        }

        limit.Set(SmallTable);
        void TrackTheFlow(TestClient client) => _pair.Server.Execute(
            $"nft insert rule ip spate raw udp sport {TestPair.PortOf(client)} accept");

        TestDirectionReport one = _pair.RunOne(TestPair.Plain.Asking(static test => test.Flows = 2), TrackTheFlow);

        TestPair.AllLostAt(
            "firewall",
            "the receiving host's full connection tracking table (",
            $"sysctl -w net.netfilter.nf_conntrack_max={2 * SmallTable}",
            one);
        NetworkNamespace.RunOutside(one.Remedy!);
        TestPair.AllArrives(_pair.RunOne(TestPair.Plain.Asking(static test => test.Flows = 2), TrackTheFlow));
    }

    [Fact]
    public void Test_FullBacklog_NamesTheBacklog()
    {
        Programs.Require("sysctl", "procps");
        Assert.SkipUnless(Environment.ProcessorCount >= 2, "one CPU for the sender and one for the backlog are needed");
        using var limit = new HostSetting("/proc/sys/net/core/netdev_max_backlog");

        // Receive packet steering puts what CPU 0 sends into the queue of CPU 1, which is slower to take it.
        _pair.Server.Execute("sh -c \"echo 2 >/sys/class/net/veth0/queues/rx-0/rps_cpus\"");
        TestClientOptions options =
            TestPair.Plain.Asking(static test => test.DatagramsPerSecond = 40_000) with { Cpus = [0] };
        limit.Set(0);

        TestDirectionReport one = _pair.RunOne(options);

        // A few that the queue did take may be lost elsewhere: 2 of 24,678 were seen.
        long missing = one.Offered - one.Unique - one.Skipped;
        Assert.InRange(one.LostWhere["backlog"], Math.Max(1, missing - 10), missing);
        Assert.Contains("the backlog queue of the receiving host's CPUs (", one.Verdict, StringComparison.Ordinal);
        Assert.Equal("sysctl -w net.core.netdev_max_backlog=10000", one.Remedy);
        Assert.Contains("set on the host, not in a network namespace", one.Verdict, StringComparison.Ordinal);
        NetworkNamespace.RunOutside(one.Remedy!);
        TestPair.AllArrives(_pair.RunOne(options));
    }

    [Fact]
    public void Test_BufferThatTheHostDoesNotGrant_NamesTheLimit()
    {
        Programs.Require("sysctl", "procps");
        using var limit = new HostSetting("/proc/sys/net/core/rmem_max");
        using var pair = new TestPair { ServerIsPrivileged = false };
        TestClientOptions options = TestPair.Plain.Asking(test =>
        {
            test.DatagramsPerSecond = 40_000;
            test.BufferBytes = LargeBufferBytes;
        });
        limit.Set(SmallBufferBytes);

        TestReport report = pair.Run(options);

        TestPair.SkipIfReaderWaited(report.Remote);
        TestDirectionReport one = Assert.Single(report.Directions);
        TestPair.AllLostAt(
            "socket",
            $"this socket's receive buffer ({SmallBufferBytes} bytes granted, {LargeBufferBytes} requested)",
            $"sysctl -w net.core.rmem_max={LargeBufferBytes}",
            one);
        NetworkNamespace.RunOutside(one.Remedy!);
        TestPair.AllArrives(pair.RunOne(options));
    }
}
