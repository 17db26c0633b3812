using Spate.HostTuning.Checks;
using Spate.HostTuning.Counters;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

public sealed class ProtocolChecksTests
{
    private const string Conf = "proc/sys/net/ipv4/conf/";

    [Fact]
    public void All_QuietHost_AreOk()
    {
        using FakeHost host = RecordedNamespace.Host().With("proc/sys/net/ipv4/udp_early_demux", "1\n");

        Assert.All(Examine(RecordedReadings.Of(host)), static one => Assert.Equal(CheckStatus.Ok, one.Status));
    }

    [Fact]
    public void All_EmptyTree_AreUnknown()
    {
        using var host = new FakeHost();

        Assert.All(Examine(RecordedReadings.Of(host)), static one => Assert.Equal(CheckStatus.Unknown, one.Status));
    }

    [Fact]
    public void NoPortsAndChecksums_Grown_AreProblemsOfBothFamilies()
    {
        using FakeHost host = RecordedNamespace.Host();
        HostReadings readings = Grown(host, new NetworkCounters
        {
            Udp4 = new UdpProtocolCounters { NoPorts = 1200, InCsumErrors = 0 },
            Udp6 = new UdpProtocolCounters { NoPorts = 300, InCsumErrors = 4 },
        });

        CheckFinding ports = Find(readings, "no-ports");
        CheckFinding sums = Find(readings, "checksum-errors");

        Assert.Equal((CheckStatus.Problem, 1500), (ports.Status, ports.Growth));
        Assert.Equal("UdpNoPorts 1,200, Udp6NoPorts 300", ports.Found);
        Assert.Equal((CheckStatus.Problem, "Udp6InCsumErrors 4"), (sums.Status, sums.Found));
    }

    [Fact]
    public void IpDiscards_EachCounter_IsNamed()
    {
        var all = new IpCounters
        {
            InHdrErrors = 100,
            InAddrErrors = 200,
            InDiscards = 300,
            InNoRoutes = 4,
            OutDiscards = 5,
            OutNoRoutes = 6,
        };
        using FakeHost host = RecordedNamespace.Host();

        CheckFinding finding = Find(Grown(host, new NetworkCounters { Ip4 = all, Ip6 = all }), "ip-discards");

        Assert.Equal(1218, finding.Growth);
        Assert.Equal(
            "IpInHdrErrors 100, IpInAddrErrors 200, IpInDiscards 300, IpExtInNoRoutes 4, IpOutDiscards 5, "
                + "Ip6InHdrErrors 100, Ip6InAddrErrors 200, Ip6InDiscards 300, Ip6InNoRoutes 4, Ip6OutDiscards 5",
            finding.Found);
    }

    [Theory]
    [InlineData(5, 0, "4194304", "sysctl -w net.ipv4.ipfrag_high_thresh=104857600")]
    [InlineData(5, 0, "104857600", null)]
    [InlineData(5, 0, "999999999999", null)]
    [InlineData(5, 0, "-5", null)]
    [InlineData(5, 0, "", null)]
    [InlineData(0, 5, "4194304", null)]
    public void IpFragments_Failed_AreGivenMemoryWhereTheyWaitForIt(
        long reassembly, long fragmenting, string limit, string? command)
    {
        using FakeHost host = RecordedNamespace.Host().With("proc/sys/net/ipv4/ipfrag_high_thresh", limit);
        var growth = new NetworkCounters
        {
            Ip4 = new IpCounters { ReasmFails = reassembly, FragFails = fragmenting },
        };

        CheckFinding finding = Find(Grown(host, growth), "ip-fragments");

        Assert.Equal((CheckStatus.Problem, 5, command), (finding.Status, finding.Growth, finding.Command));
    }

    [Fact]
    public void IpFragments_OfIpv6_AreGivenMemoryOfTheirOwn()
    {
        using FakeHost host = RecordedNamespace.Host()
            .With("proc/sys/net/ipv4/ipfrag_high_thresh", "4194304")
            .With("proc/sys/net/ipv6/ip6frag_high_thresh", "4194304");

        CheckFinding finding = Find(
            Grown(host, new NetworkCounters { Ip6 = new IpCounters { ReasmFails = 5 } }), "ip-fragments");

        Assert.Equal("sysctl -w net.ipv6.ip6frag_high_thresh=104857600", finding.Command);
    }

    [Theory]
    [InlineData("no-ports", 101, 0, CheckStatus.Problem)]
    [InlineData("no-ports", 0, 101, CheckStatus.Problem)]
    [InlineData("no-ports", 100, 0, CheckStatus.Advice)]
    [InlineData("no-ports", 0, 1, CheckStatus.Advice)]
    [InlineData("checksum-errors", 1, 0, CheckStatus.Problem)]
    [InlineData("checksum-errors", 0, 1, CheckStatus.Problem)]
    internal void Counters_OneFamilyInTenSeconds_AreAProblemIfTheyAreNoNoise(
        string id, long ipv4, long ipv6, CheckStatus status)
    {
        using FakeHost host = RecordedNamespace.Host();
        var growth = new NetworkCounters
        {
            Udp4 = new UdpProtocolCounters { NoPorts = ipv4, InCsumErrors = ipv4 },
            Udp6 = new UdpProtocolCounters { NoPorts = ipv6, InCsumErrors = ipv6 },
        };

        HostReadings readings = Grown(host, growth) with { Watched = TimeSpan.FromSeconds(10) };
        CheckFinding finding = Find(readings, id);

        long lost = status == CheckStatus.Problem ? ipv4 + ipv6 : 0;
        Assert.Equal((status, lost), (finding.Status, finding.Growth));
        Assert.StartsWith(ipv4 > 0 ? "Udp" : "Udp6", finding.Found, StringComparison.Ordinal);
        Assert.EndsWith($" {ipv4 + ipv6}", finding.Found, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(10, 0, CheckStatus.Advice, "IpInHdrErrors 10, IpInAddrErrors 10, Ip6InDiscards 10")]
    [InlineData(11, 0, CheckStatus.Problem, "IpInHdrErrors 11, IpInAddrErrors 11, Ip6InDiscards 11")]
    [InlineData(10, 1, CheckStatus.Problem, "IpInDiscards 1")]
    internal void IpDiscards_NoiseWithinASecond_IsAdviceAndLeftOutOfAProblem(
        long noise, long lost, CheckStatus status, string found)
    {
        using FakeHost host = RecordedNamespace.Host();
        var growth = new NetworkCounters
        {
            Ip4 = new IpCounters { InHdrErrors = noise, InAddrErrors = noise, InDiscards = lost },
            Ip6 = new IpCounters { InDiscards = noise },
        };

        CheckFinding finding = Find(Grown(host, growth) with { Watched = TimeSpan.FromSeconds(0.2) }, "ip-discards");

        Assert.Equal((status, found), (finding.Status, finding.Found));
    }

    [Theory]
    [InlineData("0", CheckStatus.Ok, "off")]
    [InlineData("1", CheckStatus.Ok, "on")]
    [InlineData("x", CheckStatus.Unknown, "unknown")]
    internal void EarlyDemux_Setting_IsToldAndNeverAdvised(string value, CheckStatus status, string found)
    {
        using FakeHost host = RecordedNamespace.Host().With("proc/sys/net/ipv4/udp_early_demux", value);

        CheckFinding finding = Find(RecordedReadings.Of(host), "udp-early-demux");

        Assert.Equal((status, found), (finding.Status, finding.Found));
    }

    [Fact]
    public void RpFilter_OneStrictInterface_IsMadeLoose()
    {
        using FakeHost host = Filters("0", ("eth0.5", "1"), ("eth1", "2"), ("eth2", "0"), ("lo", "1"));

        CheckFinding finding = Find(Rejected(host), "rp-filter");

        Assert.Equal((CheckStatus.Problem, 8), (finding.Status, finding.Growth));
        Assert.Equal("sysctl -w net.ipv4.conf.eth0/5.rp_filter=2", finding.Command);
        Assert.Equal("sysctl -w net.ipv4.conf.eth0/5.rp_filter=1", finding.Undo);
    }

    [Fact]
    public void RpFilter_AllIsStrict_RestoresWhatTheInterfaceHad()
    {
        using FakeHost host = Filters("1", ("eth0", "0"));

        Assert.Equal("sysctl -w net.ipv4.conf.eth0.rp_filter=0", Find(Rejected(host), "rp-filter").Undo);
    }

    [Fact]
    public void RpFilter_TwoStrictInterfaces_HasNoCommand()
    {
        using FakeHost host = Filters("0", ("eth0", "1"), ("eth1", "1"));

        Assert.Null(Find(Rejected(host), "rp-filter").Command);
    }

    [Fact]
    public void RpFilter_NameThatAShellWouldNotTake_HasNoCommand()
    {
        using FakeHost host = Filters("0", ("a;reboot", "1"));

        Assert.Null(Find(Rejected(host), "rp-filter").Command);
    }

    private static FakeHost Filters(string all, params (string Name, string Value)[] interfaces)
    {
        FakeHost host = RecordedNamespace.Host()
            .With($"{Conf}all/rp_filter", all)
            .With($"{Conf}default/rp_filter", "1");
        foreach ((string name, string value) in interfaces) host.With($"{Conf}{name}/rp_filter", value);
        return host;
    }

    private static HostReadings Rejected(FakeHost host) =>
        Grown(host, new NetworkCounters { Ip4 = new IpCounters { ReversePathFilter = 8 } });

    private static HostReadings Grown(FakeHost host, NetworkCounters growth) =>
        RecordedReadings.Of(host) with { Growth = growth };

    private static CheckFinding[] Examine(HostReadings readings) =>
        [.. CheckCatalog.Protocol.SelectMany(check => check.Examine(readings))];

    private static CheckFinding Find(HostReadings readings, string id) =>
        Assert.Single(Examine(readings), one => string.Equals(one.Id, id, StringComparison.Ordinal));
}
