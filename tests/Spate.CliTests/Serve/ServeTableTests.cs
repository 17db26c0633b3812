using System.Text.RegularExpressions;
using Spate.Cli.Serve;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;

namespace Spate.CliTests.Serve;

/// <summary>The tables of <c>spate serve</c> on terminals of several widths: no line too long, no figure cut.</summary>
public sealed partial class ServeTableTests : IDisposable
{
    private const RegexOptions Options = RegexOptions.NonBacktracking | RegexOptions.ExplicitCapture;

    private readonly StringWriter _output = new();

    [Fact]
    public void WriteInterval_EightyColumns_ShowsEveryColumnAndFigureWhole()
    {
        Write(columns: 80, intervals: 1);

        string[] lines = Lines();
        Assert.All(lines, static line => Assert.InRange(line.Length, 0, 79));
        Assert.DoesNotContain("left out", string.Join('\n', lines), StringComparison.Ordinal);
        string header = lines.Single(static line => line.StartsWith("thread", StringComparison.Ordinal));
        Assert.Equal(
            ["thread", "CPU", "datagrams", "share", "least", "mean", "most", "CPU", "switches", "forced", "sessions"],
            Words(header));
        Assert.Equal(
            ["no.", "/s", "%", "/call", "/call", "/call", "%", "/s", "/s"],
            Words(lines[Array.IndexOf(lines, header) + 1]));
        Assert.Equal(
            ["receiver", "101", "3,456,789", "-", "65.0", "-", "100", "123456", "54321", "-"],
            Words(Row(lines, "receiver")));
        Assert.Equal(
            ["0", "102", "1,728,394", "50.0", "1", "65.0", "1,024", "100", "123456", "54321", "65,536"],
            Words(Row(lines, "0 ")));
    }

    [Theory]
    [InlineData(70, "sessions", "forced")]
    [InlineData(50, "switches", "mean")]
    [InlineData(24, "share", "datagrams")]
    public void WriteInterval_NarrowerTerminal_LeavesColumnsOutAndSaysSo(int columns, string gone, string kept)
    {
        Write(columns, intervals: 1);

        string[] lines = Lines();
        Assert.All(lines, line => Assert.InRange(line.Length, 0, columns - 1));
        Assert.Contains("left out", string.Join(' ', lines), StringComparison.Ordinal);
        string header = lines.Single(static line => line.StartsWith("thread", StringComparison.Ordinal));
        Assert.DoesNotContain(gone, header, StringComparison.Ordinal);
        Assert.Contains(kept, header, StringComparison.Ordinal);
        Assert.Contains("1,728,394", Words(Row(lines, "0 ")), StringComparer.Ordinal);
    }

    [Theory]
    [InlineData(14, null)]
    [InlineData(17, "... and 2 more threads, less busy")]
    public void WriteInterval_MoreThreadsThanRows_SaysHowMany(int moreThreads, string? announced)
    {
        ServeInterval interval = Interval();
        ThreadIntervalReport idle = interval.Total.Threads[^1] with { Datagrams = 0 };
        interval.Total.Threads =
        [
            .. interval.Total.Threads,
            .. Enumerable.Range(2, moreThreads).Select(shard => idle with { Index = shard }),
        ];
        using (var text = new ServeText(Terminal(columns: 80)))
        {
            text.WriteInterval(interval);
        }

        string[] lines = [.. Lines().Where(static line => line.Length > 0)];
        Assert.InRange(lines.Length, 0, 23);
        Assert.Equal(announced, lines.SingleOrDefault(static line => line.Contains("more", StringComparison.Ordinal)));
        Assert.Equal("receiver", Words(lines.First(static line => line.Contains("101", StringComparison.Ordinal)))[0]);
    }

    [Theory]
    [InlineData(80)]
    [InlineData(40)]
    [InlineData(200)]
    public void WriteInterval_Again_TakesAwayAsManyLinesAsItDrew(int columns)
    {
        Write(columns, intervals: 2);

        string text = _output.ToString();
        Match erased = Erased().Match(text);
        Assert.True(erased.Success);
        Assert.Equal($"{text[..erased.Index].Count(static letter => letter == '\n')}", erased.Groups["count"].Value);
    }

    [Fact]
    public void WriteInterval_NoTerminal_IsPlainLinesOfBoundedWidth()
    {
        Write(columns: 0, intervals: 2);

        Assert.DoesNotContain('\u001b', _output.ToString());
        string[] lines = Lines();
        Assert.Equal(3, lines.Length);
        Assert.All(lines, static line => Assert.InRange(line.Length, 0, 119));
    }

    [Theory]
    [InlineData(40, "100.0", "1,024")]
    [InlineData(60, "12.5", "65,536")]
    [InlineData(80, "23,456,789", "65,536")]
    [InlineData(150, "65,536", null)]
    public void WriteSummary_AnyTerminal_CutsNoFigureAndNamesWhatIsLeftOut(int columns, string kept, string? gone)
    {
        using (var text = new ServeText(Terminal(columns)))
        {
            text.WriteSummary(Report());
        }

        Assert.All(Lines(), line => Assert.InRange(line.Length, 0, columns - 1));
        string[] lines = [.. Lines().SkipWhile(static line => !line.StartsWith("thread", StringComparison.Ordinal))];
        string[] words = [.. lines.SelectMany(Words)];
        Assert.Contains("123,456,789", words, StringComparer.Ordinal);
        Assert.Contains(kept, words, StringComparer.Ordinal);
        Assert.Equal(gone is not null, string.Join(' ', lines).Contains("left out: ", StringComparison.Ordinal));
        Assert.DoesNotContain(gone ?? "none", words, StringComparer.Ordinal);
    }

    [Fact]
    public void WriteSummary_ColumnsThatSayNothing_DoNotBreakTheTable()
    {
        ServeReport report = Report();
        (report.Threads[0].Cpu, report.Threads[0].Sessions) = (null, null);
        using (var text = new ServeText(Terminal(columns: 100)))
        {
            text.WriteSummary(report);
        }

        string header = Assert.Single(Lines(), static line => line.Contains("thread", StringComparison.Ordinal));
        Assert.DoesNotContain("sessions", header, StringComparison.Ordinal);
        Assert.Contains("forced", header, StringComparison.Ordinal);
    }

    public void Dispose() => _output.Dispose();

    private void Write(int columns, int intervals)
    {
        using var text = new ServeText(Terminal(columns));
        for (int i = 0; i < intervals; i++)
        {
            text.WriteInterval(Interval());
        }
    }

    private TerminalWriter Terminal(int columns) =>
        new(_output, columns > 0 ? () => new TerminalSize(columns, Rows: 24) : null);

    private static ServeInterval Interval()
    {
        var thread = new ThreadIntervalReport
        {
            Role = "handle",
            CpuNanoseconds = 1_000_000_000,
            VoluntarySwitches = 123_456,
            InvoluntarySwitches = 54_321,
            LeastPerCall = 1,
            MostPerCall = 1024,
            Sessions = 65_536,
        };
        var total = new IntervalReport
        {
            StartSeconds = 3599,
            Seconds = 1,
            Datagrams = 3_456_789,
            Bytes = 3_456_789 * 1380L,
            Lost = 123_456,
            CpuPercent = 300,
        };
        total.Threads =
        [
            thread with
            {
                Role = "receive",
                Index = -1,
                Cpu = 101,
                Datagrams = 3_456_789,
                Calls = 53_181,
                LeastPerCall = null,
                MostPerCall = null,
                Sessions = null,
            },
            thread with { Index = 0, Cpu = 102, Datagrams = 1_728_394, Calls = 26_590 },
            thread with { Index = 1, Cpu = 103, Datagrams = 1_728_395, Calls = 26_591 },
        ];
        return new ServeInterval(total, KernelDrops: 1_234_567);
    }

    private static ServeReport Report() => new()
    {
        Kind = ServeReport.KindName,
        App = "count",
        Design = "sharded",
        Datagrams = 123_456_789,
        Seconds = 60,
        Threads =
        [
            new()
            {
                Shard = 0,
                Cpu = 101,
                Datagrams = 123_456_789,
                SharePercent = 100,
                Calls = 9_876_543,
                LeastPerCall = 1,
                MostPerCall = 1024,
                CpuNanoseconds = 12_345_670_000_000,
                VoluntarySwitches = 23_456_789,
                InvoluntarySwitches = 3_456_788,
                Sessions = 65_536,
            },
        ],
    };

    private string[] Lines() =>
        Escape().Replace(_output.ToString(), "").Split('\n', StringSplitOptions.RemoveEmptyEntries);

    private static string Row(string[] lines, string start) =>
        lines.Single(line => line.StartsWith(start, StringComparison.Ordinal));

    private static string[] Words(string line) =>
        line.Split([' ', '│'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

    [GeneratedRegex("\u001b\\[(?<count>[0-9]+)F\u001b\\[J", Options)]
    private static partial Regex Erased();

    [GeneratedRegex("\u001b\\[[0-9;]*[A-Za-z]", Options)]
    private static partial Regex Escape();
}
