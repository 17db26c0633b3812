using System.Diagnostics;
using System.Text;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;

namespace Spate.CliTests.Shell.Output;

/// <summary>Without UTF-8 every table, chart and line is ASCII.</summary>
public sealed class OutputEncodingTests
{
    private static readonly string[] Variables = ["LC_ALL", "LC_CTYPE", "LANG"];

    [Theory]
    [InlineData("LC_ALL=C", true)]
    [InlineData("LC_ALL=POSIX LANG=C.UTF-8", true)]
    [InlineData("LC_ALL= LC_CTYPE=de_DE@euro LANG=C.UTF-8", true)]
    [InlineData("LANG=C", true)]
    [InlineData("LC_ALL=C.UTF-8 LANG=C", false)]
    [InlineData("LC_CTYPE=en_US.utf8 LANG=C", false)]
    [InlineData("LANG=de_DE.UTF-8@euro", false)]
    [InlineData("", false)]
    public void Of_Locale_IsAsciiUnlessItIsOfUtf8(string environment, bool isAscii)
    {
        Encoding encoding = EncodingOf(environment);

        byte[] expected = isAscii ? "us#... \\u00ef\\u1f600"u8.ToArray() : "µs█… ï😀"u8.ToArray();
        Assert.Equal(expected, encoding.GetBytes("µs█… ï😀"));
    }

    [Fact]
    public void Tables_Ascii_AreDrawnInAscii()
    {
        using var bytes = new MemoryStream();
        using (var output = new StreamWriter(bytes, EncodingOf("LANG=C")))
        {
            var writer = new TerminalWriter(output, static () => new TerminalSize(80, 24));
            var table = new Table<string>(
                new("p50 µs", Align.Right, 0, static _ => "12.5"), new("name", Align.Left, 0, static name => name));
            writer.Table(table, ["spin"]);
            writer.Bars([new("spin", 10, "10 µs"), new("block", 5, "5 µs")]);
        }

        string text = Encoding.UTF8.GetString(bytes.ToArray());
        Assert.True(Ascii.IsValid(text), text);
        Assert.Contains("p50 us  name", text, StringComparison.Ordinal);
        Assert.Contains("####", text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("LC_ALL=C", true)]
    [InlineData("LC_ALL=C.UTF-8", false)]
    public async Task Chart_OnATerminal_KeepsToTheLocale(string environment, bool isAscii)
    {
        Assert.SkipUnless(
            OperatingSystem.IsLinux() && File.Exists("/usr/bin/script"), "script(1) of util-linux is needed");
        ProcessStartInfo tool = ToolProcess.StartInfo(
            "bench", "designs", "--rows", "one-by-one", "--work", "0", "--threads", "1", "--count", "3k");
        string[] words = [tool.FileName, .. tool.ArgumentList];
        string command = string.Join(' ', words.Select(static word => $"'{word}'"));
        var start = new ProcessStartInfo("/usr/bin/script")
        {
            ArgumentList = { "-qec", $"stty cols 200 rows 40; {command}", "/dev/null" },
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (string name in Variables) start.Environment.Remove(name);
        foreach ((string name, string value) in Parse(environment)) start.Environment[name] = value;
        start.Environment["TERM"] = "xterm";
        start.StandardOutputEncoding = Encoding.UTF8;

        using Process process = ToolProcess.Start(start);
        ToolResult result = await ToolProcess.FinishAsync(process);

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("datagrams", result.Output, StringComparison.Ordinal);
        Assert.Equal(isAscii, Ascii.IsValid(result.Output));
        Assert.Contains(isAscii ? "####" : "████", result.Output, StringComparison.Ordinal);
    }

    private static Encoding EncodingOf(string environment) =>
        OutputEncoding.Of(name => Parse(environment).GetValueOrDefault(name));

    private static Dictionary<string, string> Parse(string environment) => environment
        .Split(' ', StringSplitOptions.RemoveEmptyEntries)
        .Select(static pair => pair.Split('='))
        .ToDictionary(static pair => pair[0], static pair => pair[1], StringComparer.Ordinal);
}
