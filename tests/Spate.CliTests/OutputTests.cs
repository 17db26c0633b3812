using Spate.Cli;
using Spate.Cli.Output;

namespace Spate.CliTests;

public sealed class OutputTests
{
    [Theory]
    [InlineData("plain text", "plain text")]
    [InlineData("naïve – ok", "naïve – ok")]
    [InlineData("a\u001b[31mb", "a\\u001b[31mb")]
    [InlineData("a\r\nb", "a\\u000d\\u000ab")]
    [InlineData("a\u202eb", "a\\u202eb")]
    [InlineData("a\u2028b", "a\\u2028b")]
    public void Clean_HostileText_IsHarmless(string text, string expected) =>
        Assert.Equal(expected, SafeText.Clean(text));

    [Fact]
    public void Clean_HalfOfAPair_IsReplaced() => Assert.Equal("a\ufffdb", SafeText.Clean("a" + '\ud800' + "b"));

    [Fact]
    public void Clean_LongText_IsCut() => Assert.Equal(203, SafeText.Clean(new string('x', 5000)).Length);

    [Fact]
    public void Table_Redirected_IsAlignedPlainAndNeverCut()
    {
        var output = new StringWriter();
        string longCell = new('w', 190);
        var table = new Table(new("name"), new("n", IsNumber: true));
        table.Add("[red]x[/]\u001b[0m", "1");
        table.Add(longCell, "1,000");

        TableOutput.Write(table, new Streams { Output = output, Error = TextWriter.Null });

        string[] lines = output.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(3, lines.Length);
        Assert.StartsWith("[red]x[/]\\u001b[0m ", lines[1], StringComparison.Ordinal);
        Assert.Equal(lines[1].Length, lines[2].Length);
        Assert.EndsWith("1,000", lines[2], StringComparison.Ordinal);
    }

    [Fact]
    public void Table_Terminal_KeepsBracketsAsText()
    {
        var output = new StringWriter();
        var table = new Table(new("[peer]"), new("n", IsNumber: true));
        table.Add("[::1]:9999", "1");

        TableOutput.Write(table, new Streams { Output = output, Error = TextWriter.Null, OutputIsTerminal = true });

        Assert.Contains("[::1]:9999", output.ToString(), StringComparison.Ordinal);
        Assert.Contains("[peer]", output.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Bars_AnyOutput_ShowNamesAndLabels(bool terminal)
    {
        var output = new StringWriter();
        var streams = new Streams { Output = output, Error = TextWriter.Null, OutputIsTerminal = terminal };

        BarChartOutput.Write([new("a[b]", 10, "10 M/s"), new("zero", 0, "0 M/s")], streams);

        Assert.All(
            ["a[b]", "zero", "10 M/s", "0 M/s"],
            text => Assert.Contains(text, output.ToString(), StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(4194304, "4 MiB")]
    [InlineData(212992, "208 KiB")]
    [InlineData(1000, "1000 B")]
    [InlineData(0, "0 B")]
    public void Bytes_Amount_IsExact(long bytes, string expected) => Assert.Equal(expected, Units.Bytes(bytes));

    [Theory]
    [InlineData(5.4321e9, "5.43 Gbit/s")]
    [InlineData(999, "999 bit/s")]
    public void BitsPerSecond_Rate_HasAPrefix(double rate, string expected) =>
        Assert.Equal(expected, Units.BitsPerSecond(rate));

    [Fact]
    public void JsonOutput_NothingWritten_LeavesNoNewFileAndNoDamage()
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        var streams = new Streams { Output = TextWriter.Null, Error = TextWriter.Null };

        JsonOutput.Open(path, streams)!.Dispose();
        Assert.False(File.Exists(path));

        File.WriteAllText(path, "an earlier report");
        JsonOutput.Open(path, streams)!.Dispose();
        Assert.Equal("an earlier report", File.ReadAllText(path));
        File.Delete(path);
    }
}
