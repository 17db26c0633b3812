using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Spate.CliTests;

/// <summary>The glibc that the native tool needs, its metrics and its events.</summary>
public sealed class NativeToolTests
{
    [Fact]
    public void File_OfTheNativeTool_NeedsNoNewerGlibc()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "glibc is Linux's");
        string file = NativeTool.Require();

        NativeTool.Count();
        ElfVersions.AssertGlibc(File.ReadAllBytes(file));
    }

    [Fact]
    public async Task Metrics_OfTheNativeTool_AreReadAtItsDiagnosticPort()
    {
        NativeTool.Require();
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        patience.CancelAfter(Tool.Patience);
        using Process process = ToolProcess.Start("receive", "127.0.0.1:0", "--count", "1");
        string line = (await process.StandardError.ReadLineAsync(patience.Token))!;
        using DiagnosticPort port = await DiagnosticPort.OpenAsync(
            process.Id, "System.Diagnostics.Metrics",
            "SessionId=a;Metrics=Spate;RefreshInterval=0.1;MaxTimeSeries=1000;MaxHistograms=10", patience.Token);

        await port.ReadAsync(patience.Token, "CounterRateValuePublished", "spate.datagram.count");

        // It ends by itself, and so takes the socket of its port away.
        using var sender = new UdpClient();
        string end = line[line.IndexOf("127.0.0.1:", StringComparison.Ordinal)..].Split(' ', ',', ';')[0];
        await sender.SendAsync(new byte[1], IPEndPoint.Parse(end), patience.Token);
        Assert.Equal(0, (await ToolProcess.FinishAsync(process)).ExitCode);
    }

    [Fact]
    public async Task Events_OfTheNativeTool_AreTraced()
    {
        NativeTool.Require();
        string trace = Path.GetTempFileName();
        try
        {
            // The kernel grants no buffer of this size, which is an event.
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
