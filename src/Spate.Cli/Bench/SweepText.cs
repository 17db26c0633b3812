using Spate.Cli.Compare;
using Spate.Cli.Terminal;
using Spate.Measurement.Bench.Sweep;

namespace Spate.Cli.Bench;

/// <summary>The tables of <c>--sweep cpu</c>, and its result in one sentence.</summary>
internal static class SweepText
{
    private static readonly Table<SweepRow> Table = new(
        new("--cpu", Align.Left, 0, static row => row.Cpu),
        new("placement", Align.Left, 2, static row => row.Placement),
        new("median", Align.Right, 0, static row => CompareText.Value(row.Median)),
        new("to default %", Align.Right, 1, static row => CompareText.Percent(row.DifferencePercent)),
        new("95 % interval", Align.Right, 3, static row => row.DifferencePercent is null
            ? Units.NotKnown
            : $"{CompareText.Percent(row.LowPercent)} to {CompareText.Percent(row.HighPercent)}"),
        new("rounds", Align.Right, 4, static row => Units.Count(row.Samples.Length)),
        new("it is", Align.Left, 0, static row => row.Why is null ? row.Verdict : $"{row.Verdict}: {row.Why}"));

    public static void Write(SweepReport report, Page page)
    {
        BenchText.WriteHead(report, page);
        page.Line($"{report.Bench}, {report.Row}, {report.SizeBytes} bytes: {report.Figure}; "
            + $"medians of {BenchText.Rounds(report.Rounds)}; {report.Seconds:0} s in all");
        page.Line();
        page.Table(Table, report.Rows);
        if (report.Repeated.Length > 0)
        {
            page.Line();
            page.Line("measured again");
            page.Table(Table, report.Repeated);
        }

        page.Line();
        page.Line(report.Conclusion);
    }
}
