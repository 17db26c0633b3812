using Spate.HostTuning.Checks;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Firewall;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

public sealed class NetfilterChecksTests
{
    private const string Netfilter = "proc/sys/net/netfilter/";

    [Fact]
    public void Conntrack_NoTable_SaysNothing()
    {
        using var host = new FakeHost();

        CheckFinding finding = Assert.Single(Examine(RecordedReadings.Of(host)));

        Assert.Equal(("firewall", CheckStatus.Unknown), (finding.Id, finding.Status));
    }

    [Theory]
    [InlineData(100, 0, 0, CheckStatus.Ok, null)]
    [InlineData(80, 0, 0, CheckStatus.Ok, null)]
    [InlineData(81, 0, 0, CheckStatus.Advice, "sysctl -w net.netfilter.nf_conntrack_max=200")]
    [InlineData(10, 5, 2, CheckStatus.Problem, "sysctl -w net.netfilter.nf_conntrack_max=200")]
    [InlineData(10, 0, 2, CheckStatus.Problem, null)]
    internal void Conntrack_CountAndCounters_DecideTogether(
        long count, long dropped, long clashed, CheckStatus status, string? command)
    {
        long max = status == CheckStatus.Ok && count == 100 ? 1000 : 100;
        using FakeHost host = Host(count, max);

        CheckFinding finding = Find(Tracked(host, dropped, clashed), "conntrack");

        Assert.Equal((status, command, dropped + clashed), (finding.Status, finding.Command, finding.Growth));
    }

    [Theory]
    [InlineData(4_194_303, "sysctl -w net.netfilter.nf_conntrack_max=4194304")]
    [InlineData(4_194_304, null)]
    [InlineData(9_000_000_000_000_000_000, null)]
    [InlineData(0, null)]
    public void Conntrack_LargeTable_GrowsUpToABound(long max, string? command)
    {
        using FakeHost host = Host(1, max);

        Assert.Equal(command, Find(Tracked(host, 1, 0), "conntrack").Command);
    }

    [Theory]
    [InlineData(10, "30", null)]
    [InlineData(90, "30", "sysctl -w net.netfilter.nf_conntrack_udp_timeout=15")]
    [InlineData(90, "12", "sysctl -w net.netfilter.nf_conntrack_udp_timeout=10")]
    [InlineData(90, "10", null)]
    [InlineData(90, "3", null)]
    [InlineData(90, "x", null)]
    public void ConntrackTimeout_NearlyFullTable_IsShortenedDownToABound(long count, string seconds, string? command)
    {
        using FakeHost host = Host(count, 100).With(Netfilter + "nf_conntrack_udp_timeout", seconds);

        CheckFinding finding = Find(RecordedReadings.Of(host), "conntrack-timeout");

        Assert.Equal(command, finding.Command);
        Assert.NotEqual(CheckStatus.Problem, finding.Status);
    }

    [Fact]
    public void Firewall_RulesThatDidNotDrop_AreCounted()
    {
        using FakeHost host = Host(1, 100);
        HostReadings readings = RecordedReadings.Of(host) with
        {
            Firewall = [new DropRule("ip a b handle 1"), new DropRule("ip a b handle 2") { Packets = 5 }],
        };

        CheckFinding finding = Find(readings, "firewall");

        Assert.Equal((CheckStatus.Ok, "drop or reject rules: 2"), (finding.Status, finding.Found));
        Assert.Contains("rules without a counter: 1", finding.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Firewall_RulesThatDropped_AreNamedMostFirst()
    {
        using FakeHost host = Host(1, 100);
        DropRule[] rules = [.. Enumerable.Range(1, 5).Select(one => new DropRule($"ip a b handle {one}")
        {
            Packets = 10 - one,
            Accept = $"nft insert {one}",
            Undo = $"nft delete {one}",
        })];
        HostReadings readings = RecordedReadings.Of(host) with { Firewall = rules, FirewallGrowth = rules };

        CheckFinding finding = Find(readings, "firewall");

        Assert.Equal((CheckStatus.Problem, 35), (finding.Status, finding.Growth));
        Assert.Equal(("nft insert 1", "nft delete 1"), (finding.Command, finding.Undo));
        Assert.Equal(
            "ip a b handle 1: 9 packets; ip a b handle 2: 8 packets; ip a b handle 3: 7 packets; and 2 more rules",
            finding.Found);
    }

    private static FakeHost Host(long count, long max) => RecordedNamespace.Host()
        .With(Netfilter + "nf_conntrack_count", $"{count}\n")
        .With(Netfilter + "nf_conntrack_max", $"{max}\n")
        .With(Netfilter + "nf_conntrack_udp_timeout", "30\n");

    private static HostReadings Tracked(FakeHost host, long dropped, long clashed) => RecordedReadings.Of(host) with
    {
        Growth = new NetworkCounters
        {
            Conntrack = new ConntrackCounters { Drops = dropped, InsertFailed = clashed },
        },
    };

    private static CheckFinding[] Examine(HostReadings readings) =>
        [.. CheckCatalog.Netfilter.SelectMany(check => check.Examine(readings))];

    private static CheckFinding Find(HostReadings readings, string id) =>
        Assert.Single(Examine(readings), one => string.Equals(one.Id, id, StringComparison.Ordinal));
}
