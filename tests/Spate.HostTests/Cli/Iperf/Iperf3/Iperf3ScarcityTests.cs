using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Net;
using Spate.TestHelpers.Iperf3;

namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary><c>spate iperf3 -s</c> with few descriptors, and more connections than these.</summary>
public sealed class Iperf3ScarcityTests(OwnNetwork network) : IClassFixture<OwnNetwork>
{
    private const int ConnectionCount = 200;

    [Theory]
    [InlineData(false, 1, "too many connections are waiting")]
    [InlineData(true, 1, "too many connections are waiting")]
    [InlineData(true, 256, "the process is near its limit of 150 open files: raise the limit with")]
    public async Task Server_MoreConnectionsThanDescriptors_NamesTheReasonAndServes(
        bool sendsCookie, int parallelTests, string reason)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit is read from /proc");
        int port = OwnNetwork.TakePort();
        using Process server = network.Enter(() => Start(port, openFiles: 150, parallelTests));
        ConcurrentQueue<string> written = [];
        server.OutputDataReceived += (_, line) => written.Enqueue(line.Data ?? "");
        server.ErrorDataReceived += (_, line) => written.Enqueue(line.Data ?? "");
        server.BeginOutputReadLine();
        server.BeginErrorReadLine();
        Task ended = server.WaitForExitAsync(TestContext.Current.CancellationToken);
        try
        {
            network.Enter(() =>
            {
                Iperf3Runs.WaitForServer(port, ended);
                var end = new IPEndPoint(IPAddress.Loopback, port);
                RunningIperf3Server.Run(RunningIperf3Server.OptionsFor(end));
                HandMadeIperf3Client[] clients =
                    [.. Enumerable.Range(0, ConnectionCount).Select(_ => Connect(end, sendsCookie))];
                Assert.True(
                    SpinWait.SpinUntil(
                        () => written.Any(line => line.Contains(reason, StringComparison.Ordinal)),
                        RunningIperf3Server.Patience),
                    string.Join('\n', written));
                if (parallelTests == 1) RunningIperf3Server.Run(RunningIperf3Server.OptionsFor(end));

                Array.ForEach(clients, static one => one.Dispose());
                RunUntilServed(end);
                return true;
            });
        }
        finally
        {
            server.Kill();
            await ended;
        }

        Assert.DoesNotContain(written, static line => line.Contains("emory", StringComparison.Ordinal));
    }

    // The server notices one after the other that the connections have ended.
    private static void RunUntilServed(IPEndPoint server)
    {
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            try
            {
                RunningIperf3Server.Run(RunningIperf3Server.OptionsFor(server));
                return;
            }
            catch (Exception) when (Stopwatch.GetElapsedTime(start) < RunningIperf3Server.Patience)
            {
                // Refused, or without a stream.
            }
        }
    }

    private static HandMadeIperf3Client Connect(IPEndPoint server, bool sendsCookie)
    {
        var client = new HandMadeIperf3Client(server);
        try
        {
            if (sendsCookie) client.Send(HandMadeIperf3Client.CookieBytes);
        }
        catch (System.Net.Sockets.SocketException)
        {
            // It was dropped before.
        }

        return client;
    }

    private static Process Start(int port, int openFiles, int parallelTests)
    {
        string command = string.Create(
            CultureInfo.InvariantCulture,
            $"ulimit -n {openFiles}; exec {ToolProcess.ShellWords} iperf3 -s -p {port} "
            + $"--parallel-tests {parallelTests}");
        return ToolProcess.Start(ToolProcess.StartInfoOf("sh", "-c", command));
    }
}
