using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Reports;

namespace Spate.CliTests.Shell.Output;

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
        Assert.Equal(expected, PrintableText.ForTerminal(text));

    [Fact]
    public void Clean_HalfOfAPair_IsReplaced() =>
        Assert.Equal("a\ufffdb", PrintableText.ForTerminal("a" + '\ud800' + "b"));

    [Fact]
    public void Clean_LongText_IsCut() => Assert.Equal(203, PrintableText.ForTerminal(new string('x', 5000)).Length);

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
