using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

/// <summary>From the reports of both ends, one of which a stranger may have written, to that of a direction.</summary>
public sealed class TestDirectionReportTests
{
    [Fact]
    public void Between_CorruptedAndLateOnes_AreNotThePaths()
    {
        TestDirectionReport report = Between(
            new TrafficReport { Datagrams = 100 }, new TrafficReport { Unique = 60, Corrupted = 30, Late = 4 });

        Assert.Equal((40, 30, 10), (report.Lost, report.LostWhere["corrupted"], report.Unexplained));
        Assert.StartsWith("75 % of the loss is corruption on the way: 30", report.Verdict, StringComparison.Ordinal);
    }

    [Fact]
    public void Between_RefusedAndSkippedOnes_AreLostAndNot()
    {
        TestDirectionReport report = Between(
            new TrafficReport { Datagrams = 90, Refused = 10, Pacing = new PacingReport { Skipped = 300 } },
            new TrafficReport { Unique = 80 });

        Assert.Equal((20, 20.0), (report.Lost, report.LostPercent));
        Assert.Equal((10, 300, 400), (report.Refused, report.Skipped, report.Offered));
        Assert.StartsWith("50 % of the loss is ", report.Verdict, StringComparison.Ordinal);
        Assert.Contains(
            " (also, the sender could not keep the rate and skipped 300)", report.Verdict, StringComparison.Ordinal);
    }

    [Fact]
    public void Between_OnlySkippedOnes_SaysThatNothingSentWasLost()
    {
        TestDirectionReport report = Between(
            new TrafficReport { Datagrams = 90, Seconds = 1, Pacing = new PacingReport { Skipped = 300 } },
            new TrafficReport { Unique = 90 });

        Assert.Equal(
            "Nothing that was sent was lost, but the sender could not keep the rate and skipped 300: --rate 81",
            report.Verdict);
        Assert.Equal(0, report.LostPercent);
    }

    [Theory]
    [InlineData(long.MinValue, 0, 0, 0)]
    [InlineData(long.MinValue, long.MaxValue, 0, 0)]
    [InlineData(long.MaxValue, long.MinValue, long.MaxValue, long.MaxValue)]
    [InlineData(-5, 10, 0, 0)]
    [InlineData(7, long.MaxValue, 7, 0)]
    public void Between_ImpossibleFigures_DoNotWrap(long sent, long unique, long datagrams, long lost)
    {
        TestDirectionReport report = Between(
            new TrafficReport { Datagrams = sent, Refused = sent, Seconds = 1 },
            new TrafficReport { Unique = unique, Corrupted = long.MinValue, Late = long.MinValue });

        Assert.Equal((datagrams, lost), (report.Datagrams, report.Lost));
        Assert.InRange(report.LostPercent, 0, 100);
        Assert.InRange(report.Offered, report.Datagrams, long.MaxValue);
        Assert.All(report.LostWhere.Values, static count => Assert.InRange(count, 0, long.MaxValue));
    }

    private static TestDirectionReport Between(TrafficReport sent, TrafficReport received) =>
        TestDirectionReport.Between(
            TestDirectionReport.ClientName,
            new TestEndReport { Sent = sent },
            new TestEndReport { Received = received });
}
