using Spate.HostTuning.Counters;
using Spate.Measurement.Pacing;

namespace Spate.Tests.Measurement.Pacing;

public sealed class TransmitTimeOfferTests
{
    [Theory]
    [InlineData("fq:root")]
    [InlineData("mq:root", "fq:8001:1", "fq:8001:2")]
    [InlineData("fq:root", "ingress:ffff:fff1")]
    [InlineData("mq:root", "clsact:ffff:fff1", "fq:8001:1")]
    public void Judge_FqOnTheWay_KeepsTimes(params string[] queues) =>
        Assert.Null(TransmitTimeOffer.Judge("eth0", Queues(queues)));

    [Theory]
    [InlineData(
        "qdisc noqueue, which ignores transmit times: as root, tc qdisc replace dev eth0 root fq", "noqueue:root")]
    [InlineData("qdisc fq_codel, which", "fq_codel:root")]
    [InlineData("qdisc fq_codel, which", "mq:root", "fq:8001:1", "fq_codel:8001:2")]
    [InlineData("qdisc mq, which", "mq:root")]
    [InlineData("qdisc etf, which uses CLOCK_TAI", "etf:root")]
    [InlineData("qdisc etf, which uses CLOCK_TAI", "taprio:root", "etf:100:1")]
    [InlineData("qdisc tbf, which", "tbf:root", "fq:8001:1")]
    [InlineData("qdisc of eth0 is unknown")]
    [InlineData("qdisc of eth0 is unknown", "ingress:ffff:fff1")]
    public void Judge_AnotherDiscipline_IsTheReason(string reason, params string[] queues) => Assert.Contains(
        reason, TransmitTimeOffer.Judge("eth0", Queues(queues)), StringComparison.Ordinal);

    [Fact]
    public void Refusal_OwnAddress_WaitsForNoTime()
    {
        string? reason = TransmitTimeOffer.Refusal(UdpAddress.Loopback);

        Assert.Contains(OperatingSystem.IsLinux() ? "loopback" : "only Linux", reason, StringComparison.Ordinal);
    }

    private static QueueCounters[] Queues(string[] texts) => [.. texts.Select(static text =>
    {
        int end = text.IndexOf(':', StringComparison.Ordinal);
        return new QueueCounters("eth0", text[..end], "0:", text[(end + 1)..]);
    })];
}
