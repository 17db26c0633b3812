using Spate.HostTuning.Checks;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

/// <summary>The checks of what a card may do for the CPU, against recorded answers of its driver.</summary>
public sealed class FeatureCheckTests
{
    [Fact]
    public void Offloads_TurnedOff_AreNamedAndTurnedOnInTheirOrder()
    {
        using RecordedInterface host = new();
        host.Card.Features("-tx-scatter-gather", "-tx-checksum-ip-generic", "-tx-generic-segmentation", "rx-gro");

        CheckFinding finding = host.Examine("offloads")!;

        Assert.Equal(
            "off: tx-checksum-ip-generic, tx-scatter-gather, tx-generic-segmentation", finding.Found);
        Assert.Equal(
            "ethtool -K eth0 tx-checksum-ip-generic on && ethtool -K eth0 tx-scatter-gather on && "
                + "ethtool -K eth0 tx-generic-segmentation on",
            finding.Command);
    }

    [Fact]
    public void Offloads_ThatTheCardLacks_AreAdviceWithoutAChange()
    {
        using RecordedInterface host = new();
        host.Card.Features("-tx-scatter-gather!", "-tx-checksum-ipv4!", "-tx-checksum-ipv6!", "rx-gro");

        CheckFinding finding = host.Examine("offloads")!;

        Assert.Equal("off: tx-checksum-ipv4 (fixed), tx-scatter-gather (fixed)", finding.Found);
        Assert.Null(finding.Command);
    }

    [Fact]
    public void Offloads_AskedForAndOff_ComeBackWithTheOneThatTheyNeed()
    {
        using RecordedInterface host = new();
        host.Card.Features(
            "-tx-scatter-gather?", "-tx-checksum-ip-generic", "tx-generic-segmentation", "rx-gro");

        CheckFinding finding = host.Examine("offloads")!;

        Assert.Equal("off: tx-checksum-ip-generic, tx-scatter-gather", finding.Found);
        Assert.Equal("ethtool -K eth0 tx-checksum-ip-generic on", finding.Command);
    }

    [Theory]
    [InlineData("-tx-udp-segmentation", CheckStatus.Advice, "ethtool -K eth0 tx-udp-segmentation on")]
    [InlineData("-tx-udp-segmentation!", CheckStatus.Ok, null)]
    [InlineData("tx-udp-segmentation", CheckStatus.Ok, null)]
    internal void UdpSegmentation_ThatTheCardCanDo_IsAdviceWhileOff(string feature, CheckStatus status, string? command)
    {
        using RecordedInterface host = new();
        host.Card.Features(feature);

        CheckFinding finding = host.Examine("udp-segmentation")!;

        Assert.Equal((status, command), (finding.Status, finding.Command));
    }

    [Theory]
    [InlineData("0", "0", CheckStatus.Ok)]
    [InlineData("1", "0", CheckStatus.Advice)]
    [InlineData("0", "1", CheckStatus.Advice)]
    internal void UdpForwarding_Off_IsAdviceOnlyWhereTheHostForwards(string ipv4, string ipv6, CheckStatus status)
    {
        using RecordedInterface host = new();
        host.Host.With("proc/sys/net/ipv4/ip_forward", ipv4 + "\n")
            .With("proc/sys/net/ipv6/conf/all/forwarding", ipv6 + "\n");
        host.Card.Features("-rx-udp-gro-forwarding");

        Assert.Equal(status, host.Examine("udp-gro-forwarding")!.Status);
    }
}
