using System.Text.Json;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;
using Spate.Tests.Measurement.Reports;

namespace Spate.Tests.Cli.Bench.Rounds;

public sealed class MetricsTests
{
    [Fact]
    public void FiguresOf_RowsOfEveryBench_AreFieldsOfTheirJson()
    {
        foreach (RoundsReport report in (RoundsReport[])
        [
            SampleReports.Bench(), SampleReports.Drain(), SampleReports.Sessions(), SampleReports.Sockets(),
            SampleReports.PingPong(), SampleReports.Relay(), SampleReports.Designs(),
        ])
        {
            JsonElement row = ReportJsonTests.Parse(ReportJson.Serialize(report)).GetProperty("rows")[0];

            Assert.NotEmpty(report.Figures!);
            Assert.Subset(
                new HashSet<string>(ReportJsonTests.NamesOf(row), StringComparer.Ordinal),
                new HashSet<string>(report.Figures!.Select(static one => one.Name), StringComparer.Ordinal));
        }
    }

    [Fact]
    public void FiguresOf_MainFigureThatIsDeclaredLast_BeginsWithItAndItsRounds()
    {
        ComparedFigure[] figures = [.. RelayRow.Metrics.FiguresOf(new RelayRow
        {
            Name = "spate",
            UsesGso = true,
            DatagramsPerSecond = 3,
            LostPercent = 2,
            CpuPercentOfOneCore = 1,
            Samples = [1, 4],
        })];

        Assert.Equal(
            [("cpuPercentOfOneCore", false, 1), ("datagramsPerSecond", true, 3), ("lostPercent", false, 2)],
            figures.Select(static one => (one.Name, one.IsHigherBetter, one.Value)));
        Assert.Equal([2, 0, 0], figures.Select(static one => one.Rounds.Count));
        Assert.All(figures, static one => Assert.Equal("spate, GSO messages", one.Row));
        Assert.Equal(new RowFigure("cpuPercentOfOneCore", IsHigherBetter: false), RelayRow.Metrics.Main);
        Assert.Equal("receiveNanosecondsPerDatagram", DrainRow.Metrics.Main.Name);
        Assert.Equal("p50Microseconds", PingPongRow.Metrics.Main.Name);
    }
}
