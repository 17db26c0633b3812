using Spate.Cli.Bench.Throughput;

namespace Spate.Tests.Cli.Bench.Throughput;

public sealed class RoundMeasurementTests
{
    internal static RoundMeasurement Sample(long received = 800, double seconds = 2) => new()
    {
        Sent = 1000,
        Received = received,
        ReceivedWhileSending = received - 200,
        ReceivedBytes = received * 100,
        Calls = received / 8,
        Sending = TimeSpan.FromSeconds(seconds),
        SenderCpuNanoseconds = 500_000,
        ReceiverCpuNanoseconds = 1_600_000,
        AllocatedBytes = 80,
        Gen0Collections = 2,
    };

    [Fact]
    public void Figures_OfKnownCounts_AreTheirRatios()
    {
        RoundMeasurement round = Sample();

        Assert.Equal(300, round.DatagramsPerSecond);
        Assert.Equal(300 * 800, round.BitsPerSecond);
        Assert.Equal(20, round.LostPercent, 9);
        Assert.Equal(500, round.SendNanosecondsPerDatagram);
        Assert.Equal(2000, round.ReceiveNanosecondsPerDatagram);
        Assert.Equal(0.1, round.AllocatedBytesPerDatagram);
        Assert.Equal(8, round.DatagramsPerCall);
    }

    [Fact]
    public void Figures_OfNothing_AreZeroOrUnknown()
    {
        RoundMeasurement round = Sample() with
        {
            Sent = 0,
            Received = 0,
            ReceivedWhileSending = 0,
            ReceivedBytes = 0,
            Calls = 0,
            Sending = TimeSpan.Zero,
        };

        Assert.Equal(0, round.DatagramsPerSecond);
        Assert.Equal(0, round.BitsPerSecond);
        Assert.Equal(0, round.LostPercent);
        Assert.Null(round.SendNanosecondsPerDatagram);
        Assert.Null(round.ReceiveNanosecondsPerDatagram);
        Assert.Null(round.DatagramsPerCall);
    }

    [Fact]
    public void LostPercent_MoreReceivedThanSent_IsZero() => Assert.Equal(0, Sample(received: 1001).LostPercent);

    [Fact]
    public void Of_ThreeRounds_TakesMediansAndTheSpread()
    {
        RoundMeasurement slow = Sample(seconds: 3);
        RoundMeasurement middle = Sample(seconds: 2);
        RoundMeasurement fast = Sample(seconds: 1.5);

        BenchRow row = BenchRow.Of("a", 100, [fast, slow, middle]);

        Assert.Equal(300, row.DatagramsPerSecond);
        Assert.Equal(100.0 * (400 - 200) / 300, row.SpreadPercent, 9);
        Assert.Equal(6, row.Gen0Collections);
        Assert.Equal([400, 200, 300], row.Samples);
    }

    [Fact]
    public void Of_CpuUnknown_StaysUnknown()
    {
        BenchRow row = BenchRow.Of("a", 100, [Sample() with { SenderCpuNanoseconds = null }]);

        Assert.Null(row.SendNanosecondsPerDatagram);
        Assert.Equal(0, row.SpreadPercent);
    }
}
