using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;

namespace Spate.CliTests.Shell.Terminal;

/// <summary>What reaches a terminal, and what reaches a pipe.</summary>
public sealed class TerminalWriterTests : IDisposable
{
    private const char Escape = '\u001b';

    private readonly StringWriter _output = new();

    [Theory]
    [InlineData(null, null, "", TerminalStyle.Full)]
    [InlineData("xterm", "", "bench --rows a", TerminalStyle.Full)]
    [InlineData("xterm", "1", "", TerminalStyle.NoColor)]
    [InlineData("xterm", null, "bench --no-color", TerminalStyle.NoColor)]
    [InlineData("xterm", null, "compare a -- --no-color", TerminalStyle.Full)]
    [InlineData("dumb", null, "--no-color", TerminalStyle.Dumb)]
    [InlineData("dumb", "1", "", TerminalStyle.Dumb)]
    public void StyleOf_EnvironmentAndLine_IsKept(string? term, string? noColor, string line, object style) =>
        Assert.Equal(style, Streams.StyleOf(
            line.Split(' '), name => name switch { "TERM" => term, "NO_COLOR" => noColor, _ => null }));

    [Fact]
    public void All_Pipe_IsPlainAndOfAnyWidth()
    {
        TerminalWriter writer = new Streams { Output = _output, Error = TextWriter.Null }.OutputPage;
        WriteAll(writer);

        Assert.Null(writer.Width);
        Assert.False(writer.CanRedraw);
        Assert.DoesNotContain(Escape, _output.ToString());
        Assert.DoesNotContain('█', _output.ToString());
        Assert.Contains(_output.ToString().Split('\n'), static line => line.Length > 100);
    }

    [Theory]
    [InlineData(TerminalStyle.Full, true, true)]
    [InlineData(TerminalStyle.NoColor, false, true)]
    [InlineData(TerminalStyle.Dumb, false, false)]
    public void All_Terminal_IsSentWhatItKnows(object style, bool hasEscapes, bool canRedraw)
    {
        TerminalWriter writer = Terminal(columns: 80, (TerminalStyle)style);
        WriteAll(writer);

        Assert.Equal(canRedraw, writer.CanRedraw);
        Assert.Equal(hasEscapes, _output.ToString().Contains(Escape, StringComparison.Ordinal));
    }

    [Fact]
    public void All_AnyWidth_LeavesTheLastColumnFree()
    {
        for (int columns = 40; columns <= 200; columns++)
        {
            _output.GetStringBuilder().Clear();
            WriteAll(Terminal(columns, TerminalStyle.NoColor));

            Assert.All(_output.ToString().Split('\n'), line => Assert.InRange(line.Length, 0, columns - 1));
        }
    }

    [Fact]
    public void Line_HostileText_IsEscaped()
    {
        Terminal(columns: 80, TerminalStyle.NoColor).Line("peer \u001b[2J\u202e[red]x[/]");

        Assert.Equal("peer \\u001b[2J\\u202e[red]x[/]", _output.ToString().TrimEnd());
    }

    [Theory]
    [InlineData("", 10, "")]
    [InlineData("one two three", 13, "one two three")]
    [InlineData("one two three", 12, "one two|three")]
    [InlineData("one two three", 7, "one two|three")]
    [InlineData("  one two three", 7, "  one|  two|  three")]
    [InlineData("123456789", 4, "1234|5678|9")]
    [InlineData("a 123456789", 4, "a|1234|5678|9")]
    public void Wrap_Text_BreaksBetweenWords(string text, int width, string expected) =>
        Assert.Equal(expected, string.Join('|', TextLines.Wrap(text, width)));

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Bars_AnyOutput_ShowNamesAndLabels(bool isTerminal)
    {
        TerminalWriter writer = isTerminal ? Terminal(columns: 80, TerminalStyle.Full) : new TerminalWriter(_output);

        writer.Bars([new("a[b]", 10, "10 M/s"), new("zero", 0, "0 M/s")]);

        Assert.All(
            ["a[b]", "zero", "10 M/s", "0 M/s"],
            text => Assert.Contains(text, _output.ToString(), StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(200, 60, 30)]
    [InlineData(40, 28, 14)]
    [InlineData(16, 4, 2)]
    [InlineData(12, 0, 0)]
    public void Bars_Width_AreInProportion(int columns, int first, int second)
    {
        Terminal(columns, TerminalStyle.NoColor).Bars([new("one", 10, "10 ns"), new("two", 5, "5 ns")]);

        Assert.Equal(
            [first, second],
            _output.ToString().TrimEnd().Split('\n').Select(static line => line.Count(static c => c == '█')));
    }

    [Fact]
    public void Progress_Terminal_IsOneLineThatIsTakenAway()
    {
        using (var line = new ProgressLine(Terminal(columns: 60, TerminalStyle.NoColor), TimeProvider.System))
        {
            line.Show("bench   0 %");
            line.Show("bench  50 %");
        }

        const string Erase = "\u001b[1F\u001b[J";
        Assert.Equal($"bench   0 %\n{Erase}bench  50 %\n{Erase}", _output.ToString());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Progress_DumbTerminalOrPipe_IsALineNowAndThen(bool isTerminal)
    {
        TerminalWriter writer = isTerminal ? Terminal(columns: 60, TerminalStyle.Dumb) : new TerminalWriter(_output);
        using (var line = new ProgressLine(writer, TimeProvider.System))
        {
            line.Show("bench   0 %");
            line.Show("bench  50 %");
        }

        Assert.Equal("bench   0 %\n", _output.ToString());
    }

    public void Dispose() => _output.Dispose();

    private static void WriteAll(TerminalWriter writer)
    {
        var table = new Table<int>(
            new("row", Align.Left, 0, static row => $"row-{row}"),
            new("datagrams/s", Align.Right, 0, static row => $"{1_234_567 * row:#,0}"),
            new("nanoseconds per datagram received", Align.Right, 1, static row => $"{row}"),
            new("nanoseconds per datagram sent", Align.Right, 2, static row => $"{row}"),
            new("datagrams per call", Align.Right, 3, static row => $"{row}"));
        writer.Line(string.Concat(Enumerable.Repeat("a sentence that goes on; ", 8)));
        writer.Table(table, [1, 20, 300]);
        writer.Bars([new("one", 10, "1,234,567/s"), new("two", 5, "567,890/s")]);
    }

    private TerminalWriter Terminal(int columns, TerminalStyle style) =>
        new(_output, () => new TerminalSize(columns, 24), style);
}
