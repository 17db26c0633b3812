using System.Text.Json;

namespace Spate.HostTests.Windows;

/// <summary>
/// The tool looks at a Windows host. Wine shows the files of Linux, /proc among them, to a program for Windows, so one
/// that read them would write of Linux.
/// </summary>
[QuietHost("processes under Wine, which a loaded host delays")]
public sealed class WindowsHostTests
{
    private static readonly string[] LinuxWords =
    [
        "sysctl", "/proc", "/sys/", "/etc/", "net.core", "net.ipv4", "rmem", "ethtool", "nft ", "ip link", "tc qdisc",
        "sudo", "as root", "ulimit", "CAP_",
    ];

    [Fact]
    public async Task Info_Json_TellsOfWindows()
    {
        WineTool.Require();

        ToolResult result = await WineTool.RunAsync("info", "--json", "-");

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        using JsonDocument report = JsonDocument.Parse(result.Output);
        JsonElement root = report.RootElement;
        Assert.StartsWith(
            "Microsoft Windows", root.GetProperty("operatingSystem").GetString(), StringComparison.Ordinal);
        Assert.Equal("portable", root.GetProperty("backend").GetString());
        Assert.All(
            root.GetProperty("buffers").EnumerateObject(),
            static one => Assert.Equal(JsonValueKind.Null, one.Value.ValueKind));
        Assert.Equal(Environment.ProcessorCount, root.GetProperty("cpus").GetProperty("onlineCount").GetInt32());
    }

    [Theory]
    [InlineData("info")]
    [InlineData("doctor", "--all", "--seconds", "0.1")]
    [InlineData("doctor", "--all", "--seconds", "0.1", "--profile", "100g")]
    [InlineData("doctor", "--all", "--seconds", "0.1", "--profile", "latency")]
    public async Task Looks_AtTheHost_SayNothingOfLinux(params string[] arguments)
    {
        WineTool.Require();

        ToolResult result = await WineTool.RunAsync(arguments);

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        Assert.Contains("Microsoft Windows", result.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("wanted: Linux", result.Output, StringComparison.Ordinal);
        Assert.All(LinuxWords, word => Assert.DoesNotContain(word, result.Output, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(3, "Linux", "tune")]
    [InlineData(3, "Linux", "tune", "--apply")]
    [InlineData(3, "Linux", "tune", "--undo")]
    [InlineData(3, "Linux", "tune", "--measure")]
    [InlineData(3, "Linux", "watch")]
    [InlineData(3, "Linux", "doctor", "--target", "127.0.0.1")]
    [InlineData(3, "Windows", "receive", "127.0.0.1:0", "--flows", "2")]
    [InlineData(3, "Linux", "receive", "127.0.0.1:0", "--backend", "mmsg")]
    [InlineData(3, "Linux", "receive", "127.0.0.1:0", "--cpu", "0")]
    [InlineData(3, "Linux", "send", "127.0.0.1:9", "--cpu", "auto")]
    [InlineData(3, "Linux", "bench", "--quick", "--cpu", "auto")]
    [InlineData(3, "Linux", "iperf3", "-s", "-A", "0")]
    [InlineData(3, "no directory", "receive", "127.0.0.1:0", "--json", "Z:/no-such-folder/report.json")]
    [InlineData(3, "device", "receive", "127.0.0.1:0", "--json", "CON")]
    [InlineData(2, "--to", "gateway", "127.0.0.1:0")]
    [InlineData(2, "--profile", "doctor", "--profile", "fast")]
    [InlineData(2, "--interface", "doctor", "--interface", "none0")]
    [InlineData(2, "--no-such", "send", "127.0.0.1", "--no-such")]
    [InlineData(2, "unknown command", "no-such")]
    public async Task Refused_Command_SaysWhyInOneLine(int exitCode, string word, params string[] arguments)
    {
        WineTool.Require();

        ToolResult result = await WineTool.RunAsync(arguments);

        Assert.Equal((exitCode, ""), (result.ExitCode, result.Output));
        string line = Assert.Single(result.ErrorLines);
        Assert.StartsWith("spate: ", line, StringComparison.Ordinal);
        Assert.Contains(word, line, StringComparison.Ordinal);
        Assert.All(LinuxWords, linux => Assert.DoesNotContain(linux, line, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("NUL")]
    [InlineData(@"\\.\nul")]
    public async Task Json_Nul_TakesTheReportAndMakesNoFile(string path)
    {
        WineTool.Require();

        ToolResult result = await WineTool.RunAsync("info", "--json", path);

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        Assert.Contains("Microsoft Windows", result.Output, StringComparison.Ordinal);
        Assert.DoesNotContain(
            Directory.GetFiles(Environment.CurrentDirectory),
            static file => Path.GetFileName(file).Contains("NUL", StringComparison.OrdinalIgnoreCase));
    }
}
