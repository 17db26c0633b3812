using Spate.Measurement.Loss;
using static Spate.Tests.Measurement.Loss.LossCase;

namespace Spate.Tests.Measurement.Loss;

/// <summary>Losses of the path while other traffic moves counters of the receiving host.</summary>
public sealed class LossNoiseTests
{
    private const string Repeat = "which may be other traffic; repeat on a quiet network or with more datagrams.";

    [Fact]
    public void Judge_MulticastThatNobodyJoined_IsNoFirewall()
    {
        LossAccount account = Judge(Of(20).Arrived(2030, 1980) with { Seconds = 2 });

        Assert.Equal("unexplained 20", Places(account));
        Assert.Equal(
            "100 % of the loss is unexplained: 50 packets of the receiving host vanished between IP and UDP, " + Repeat,
            account.Sentence);
        Assert.Null(account.Remedy);
    }

    [Fact]
    public void Judge_FramesThatNoProtocolWants_AreNotTheInterfaces()
    {
        LossAccount account = Judge(
            Of(20).Arrived(1980).Link(link => link with { RxDropped = 26, RxPackets = 2006 }) with { Seconds = 2 });

        Assert.Equal("unexplained 20", Places(account));
        Assert.Equal(
            "100 % of the loss is unexplained: the receiver's interface dropped 26 packets (rx_dropped), " + Repeat,
            account.Sentence);
    }

    [Fact]
    public void Judge_FramesThatAreNoIp_AreNoFirewall()
    {
        LossEvidence evidence = Of(20).Arrived(1980) with { Seconds = 2 };

        LossAccount account = Judge(evidence.Link(link => link with { RxPackets = 2000 }));

        Assert.Equal("unexplained 20", Places(account));
        Assert.Equal(
            "100 % of the loss is unexplained: 20 packets of the receiving host vanished between its interface and IP, "
                + Repeat,
            account.Sentence);
        Assert.Equal("path 20", Places(Judge(evidence.Link(link => link with { RxPackets = 1989 }))));
    }

    /// <summary>As many as usual traffic makes in 10 s, one more, half, less, twice, and more than that.</summary>
    [Theory]
    [InlineData(550, 550, "unexplained 550")]
    [InlineData(551, 551, "firewall 551")]
    [InlineData(600, 1200, "path 600, firewall 600")]
    [InlineData(600, 1201, "path 601, unexplained 600")]
    [InlineData(1800, 900, "firewall 900")]
    [InlineData(1801, 900, "unexplained 900")]
    public void Judge_VanishedPackets_AreTheFirewallsWhereTheyFit(int vanished, int missing, string places) =>
        Assert.Equal(places, Places(Judge(Of(missing).Arrived(2000, 2000 - vanished))));

    [Theory]
    [InlineData(550, 550, "unexplained 550")]
    [InlineData(551, 551, "receiverInterface 551")]
    [InlineData(600, 1201, "path 601, unexplained 600")]
    [InlineData(1801, 900, "unexplained 900")]
    public void Judge_DroppedPackets_AreTheInterfacesWhereTheyFit(int dropped, int missing, string places) =>
        Assert.Equal(places, Places(Judge(Of(missing).Arrived(1000).Link(link => link with { RxDropped = dropped }))));

    [Fact]
    public void Judge_CountersThatOtherTrafficMoves_GetWhatTheOthersLeaveOpen() => Assert.Equal(
        "receiverInterface 700, udp 800",
        Places(Judge(Of(1500).Arrived(2000, 2000).Udp(udp => udp with { NoPorts = 800 })
            .Link(link => link with { RxDropped = 900 }))));
}
