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
    [InlineData("discipline noqueue, which keeps no times: as root, tc qdisc replace dev eth0 root fq", "noqueue:root")]
    [InlineData("discipline fq_codel, which", "fq_codel:root")]
    [InlineData("discipline fq_codel, which", "mq:root", "fq:8001:1", "fq_codel:8001:2")]
    [InlineData("discipline mq, which", "mq:root")]
    [InlineData("discipline etf, whose times are those of CLOCK_TAI", "etf:root")]
    [InlineData("discipline etf, whose times are those of CLOCK_TAI", "taprio:root", "etf:100:1")]
    [InlineData("discipline tbf, which", "tbf:root", "fq:8001:1")]
    [InlineData("discipline of eth0 is not known")]
    [InlineData("discipline of eth0 is not known", "ingress:ffff:fff1")]
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
