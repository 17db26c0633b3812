using System.Globalization;
using System.Text.Json;
using Spate.Cli.Info;
using Spate.Cli.Shell.Terminal;
using Spate.HostTuning.Reading;

namespace Spate.CliTests.Info;

public sealed class InfoTests
{
    [Fact]
    public async Task Info_JsonToStdout_HoldsJsonOnlyWithEveryField()
    {
        ToolResult result = await Tool.RunAsync("info", "--json", "-");

        Assert.Equal(0, result.ExitCode);
        Assert.Empty(result.Error);
        using JsonDocument document = JsonDocument.Parse(result.Output);
        JsonElement root = document.RootElement;
        Assert.Equal("spate/1", root.GetProperty("schema").GetString());
        Assert.Equal("info", root.GetProperty("kind").GetString());
        string[] fields =
        [
            "spateVersion", "operatingSystem", "operatingSystemVersion", "kernelRelease", "runtimeVersion",
            "architecture", "container", "cpus", "buffers", "interfaces",
            "backend", "capabilities",
        ];
        Assert.All(fields, field => Assert.True(root.TryGetProperty(field, out _), field));
        Assert.True(root.GetProperty("cpus").GetProperty("usableCount").GetInt32() > 0);
        Assert.All(
            ["coreCount", "lastLevelCaches", "all"],
            field => Assert.True(root.GetProperty("cpus").TryGetProperty(field, out _), field));
        Assert.True(root.GetProperty("buffers").TryGetProperty("receiveMaximumBytes", out _));
        JsonElement network = root.GetProperty("interfaces").EnumerateArray().First();
        Assert.All(
            ["name", "isUp", "isLoopback", "mtuBytes", "largestIpv4PayloadBytes", "addresses",
                "node", "interruptCpuList", "steeredCpuList"],
            field => Assert.True(network.TryGetProperty(field, out _), field));
    }

    [Fact]
    public async Task Info_JsonToFile_WritesBothAndReplacesALongerFile()
    {
        string path = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(
                path, new string('x', 100_000), TestContext.Current.CancellationToken);

            ToolResult result = await Tool.RunAsync("info", "--json", path);

            Assert.Equal(0, result.ExitCode);
            Assert.Contains("kernel", result.Output, StringComparison.Ordinal);
            using JsonDocument document = JsonDocument.Parse(
                await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
            Assert.Equal("info", document.RootElement.GetProperty("kind").GetString());
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void Write_SystemWithoutTheLimits_ListsNoSysctl()
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        HostFacts facts = HostFacts.Read() with { Buffers = new BufferLimits(null, null, null, null, null) };

        InfoText.Write(InfoReport.Of(facts, UdpCapabilities.Current, "1.0.0"), new TerminalWriter(output));

        Assert.Contains("interface", output.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("net.core", output.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("sysctl", output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Info_Redirected_IsPlainText()
    {
        ToolResult result = await Tool.RunAsync("info");

        Assert.Equal(0, result.ExitCode);
        Assert.DoesNotContain('\u001b', result.Output);
        Assert.All(
            ["system", "kernel", "runtime", "CPUs", "cores", "net.core.rmem_max", "interface"],
            word => Assert.Contains(word, result.Output, StringComparison.Ordinal));
    }
}
