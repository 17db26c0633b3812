using System.Diagnostics;

namespace Spate.CliTests;

/// <summary>What the file of the native tool needs, and that it can be looked into as any .NET program can.</summary>
public sealed class NativeToolTests
{
    // Debian 12, Ubuntu 22.04 and RHEL 9 have it.
    private static readonly Version NewestGlibc = new(2, 34);

    [Fact]
    public void File_OfTheNativeTool_NeedsNoNewerGlibc()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "glibc is Linux's");
        string file = NativeTool.Require();

        Version[] versions =
        [
            .. ElfVersions.NeededBy(File.ReadAllBytes(file))
                .Where(static name => name.StartsWith("GLIBC_", StringComparison.Ordinal))
                .Select(static name => Version.Parse(name["GLIBC_".Length..])),
        ];

        TestContext.Current.TestOutputHelper?.WriteLine($"the native tool needs glibc {versions.Max()}");
        NativeTool.Count();
        Assert.NotEmpty(versions);
        Assert.All(versions, static version => Assert.InRange(version, new Version(2, 0), NewestGlibc));
    }

    [Fact]
    public async Task Metrics_OfTheNativeTool_AreReadAtItsDiagnosticPort()
    {
        NativeTool.Require();
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        patience.CancelAfter(Tool.Patience);
        using Process process = ToolProcess.Start("receive", "127.0.0.1:0");
        try
        {
            Assert.NotNull(await process.StandardError.ReadLineAsync(patience.Token));
            using DiagnosticPort port = await DiagnosticPort.OpenAsync(
                process.Id, "System.Diagnostics.Metrics",
                "SessionId=a;Metrics=Spate;RefreshInterval=0.1;MaxTimeSeries=1000;MaxHistograms=10");

            await port.ReadAsync(patience.Token, "CounterRateValuePublished", "spate.datagram.count");
        }
        finally
        {
            process.Kill();
            await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        }
    }

    [Fact]
    public async Task Events_OfTheNativeTool_AreTraced()
    {
        NativeTool.Require();
        string trace = Path.GetTempFileName();
        try
        {
            // The kernel grants no buffer of this size: the event tells it.
            ProcessStartInfo start = ToolProcess.StartInfo(
                "receive", "127.0.0.1:0", "--seconds", "0.1", "--no-force", "--buffer", "1G");
            start.Environment["DOTNET_EnableEventPipe"] = "1";
            start.Environment["DOTNET_EventPipeConfig"] = "Spate:0xffffffffffffffff:5";
            start.Environment["DOTNET_EventPipeOutputPath"] = trace;
            using Process process = ToolProcess.Start(start);

            ToolResult result = await ToolProcess.FinishAsync(process);

            Assert.Equal(0, result.ExitCode);
            Assert.True(
                DiagnosticPort.Holds(
                    await File.ReadAllBytesAsync(trace, TestContext.Current.CancellationToken), "BufferRefused"),
                "no event of the source Spate is in the trace");
        }
        finally
        {
            File.Delete(trace);
        }
    }
}
