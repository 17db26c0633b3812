using System.Diagnostics;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.TestHelpers.Iperf2;

namespace Spate.HostTests.Cli.Iperf.Iperf2;

/// <summary>What comes back, with the real program at the other end.</summary>
public sealed class Iperf2ReverseProgramTests
{
    [Theory]
    [InlineData("-d")]
    [InlineData("-r")]
    public async Task Client_OfIperf_IsSentWhatItAsksFor(string option)
    {
        IperfProgram.SkipWithout();
        using var network = new OwnNetwork();
        int port = OwnNetwork.TakePort();
        using RunningIperf2Server server = network.Enter(
            () => new RunningIperf2Server(new Iperf2ServerOptions { AllowReverse = true }));

        string output = await IperfProgram.RunAsync(
            $"-c 127.0.0.1 -u -p {server.EndPoint.Port} -L {port} -b 4m -l 500 -t 0.4 {option}", network);

        Iperf2Sent sent = server.Observer.TakeSent();
        Iperf2Received received = server.Observer.TakeFinished();
        Assert.Equal((Iperf2End.Finished, 0), (received.End, received.Lost));
        Assert.True(sent.Stream.IsReverse);
        Assert.InRange(sent.Datagrams, 2, 401);
        Assert.Equal(sent.Datagrams * 500, sent.Bytes);
        Assert.Equal((sent.Datagrams, sent.Datagrams + 1), (sent.Arrived, sent.Report!.Counts.Total));
        Assert.Contains($"connected with 127.0.0.1 port {sent.Stream.Local.Port}", output, StringComparison.Ordinal);
        Assert.Contains($" 0/{sent.Datagrams + 1} (0%)", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Iperf2Reverse.Together)]
    [InlineData(Iperf2Reverse.After)]
    internal async Task Server_OfIperf_SendsBackWhatItIsAskedFor(Iperf2Reverse reverse)
    {
        IperfProgram.SkipWithout();
        using var network = new OwnNetwork();
        int port = OwnNetwork.TakePort();
        using Process server = IperfProgram.StartServer(network, port);
        var observer = new RecordingObserver();
        using Iperf2Client client = network.Enter(() => Iperf2Client.Open(new Iperf2ClientOptions
        {
            Server = UdpEndPoint.Loopback(port),
            SizeBytes = 500,
            Duration = TimeSpan.FromSeconds(0.4),
            DatagramsPerSecond = 1000,
            Reverse = reverse,
            ListenPort = 0,
        }));

        Iperf2Sent sent = Assert.Single(client.Run(observer, TestContext.Current.CancellationToken));

        server.Kill();
        await server.WaitForExitAsync(TestContext.Current.CancellationToken);
        Iperf2Received received = observer.TakeFinished();
        Assert.Equal(sent.Datagrams, sent.Arrived);
        Assert.Equal(1, client.FlowsBack);
        Assert.Equal((Iperf2End.Finished, 0, true), (received.End, received.Lost, received.IsAnswered));
        Assert.Equal((2, true), (received.Stream.Number, received.Stream.IsReverse));
        Assert.Equal(received.Exact.Unique * 500, received.ExactBytes);
        Assert.InRange(received.Exact.Unique, 2, 450);
    }
}
