using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.TestHelpers.Iperf3;
using static Spate.TestHelpers.Iperf3.HandMadeIperf3Client;

namespace Spate.Tests.Cli.Iperf.Iperf3.Servers;

/// <summary>Either end is stopped while a test runs.</summary>
public sealed class StoppedIperf3ServerTests
{
    private const int ServerTerminate = 11;

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public async Task Stop_DuringATest_IsToldToTheClient(bool isReverse, bool isBidirectional)
    {
        using var server = new RunningIperf3Server();
        Iperf3ClientOptions options = LongTest(server);
        options = options with
        {
            Parameters = options.Parameters with { Reverse = isReverse, Bidirectional = isBidirectional },
        };
        var observer = new RecordingObserver { OnInterval = _ => server.Stop() };

        Iperf3Exception fault = Assert.Throws<Iperf3Exception>(() => Iperf3Client.Run(
            options, observer, cancellationToken: TestContext.Current.CancellationToken));

        Assert.Equal("the server has terminated", fault.Message);
        Assert.Equal(fault.Message, observer.Fault);
        await server.Ended.WaitAsync(RunningIperf3Server.Patience, TestContext.Current.CancellationToken);
        Assert.Equal("the server was stopped", Assert.Single(server.Tests).Fault);
    }

    [Theory]
    [InlineData("connected")]
    [InlineData("streams")]
    [InlineData("running")]
    [InlineData("results")]
    public async Task Stop_WhileAClientIsSilent_EndsTheServer(string point)
    {
        var time = new FakeTime();
        using var server = new RunningIperf3Server(time: time);
        using var client = new HandMadeIperf3Client(server.EndPoint);
        switch (point)
        {
            case "connected":
                client.Send(CookieBytes);
                Assert.Equal(9, client.ReadState());
                break;
            case "streams":
                client.Begin(Parameters());
                break;
            case "running":
                client.Run();
                break;
            case "results":
                client.Run();
                client.Send(4);
                Task<int> state = Task.Run(client.ReadState, TestContext.Current.CancellationToken);
                time.AdvanceUntil(state, TimeSpan.FromMilliseconds(50));
                break;
        }

        server.Stop();

        Task<int[]> reading = Task.Run(client.ReadToEnd, TestContext.Current.CancellationToken);
        time.AdvanceUntil(server.Ended, TimeSpan.FromMilliseconds(50));
        int[] told = await reading;
        if (point is "streams" or "running") Assert.Equal([ServerTerminate], told);
        Assert.All(server.Tests, static test => Assert.NotNull(test.Fault));
    }

    [Fact]
    public async Task Cancel_DuringATest_EndsItWithAResult()
    {
        using var server = new RunningIperf3Server();
        using var stop = new CancellationTokenSource();
        var observer = new RecordingObserver { OnInterval = _ => stop.Cancel() };

        Iperf3Client.Run(LongTest(server), observer, cancellationToken: stop.Token);

        Iperf3Direction direction = Assert.Single(observer.Outcome!.Directions);
        Assert.Equal(["interrupted: figures up to this time"], observer.Outcome.Notes);
        Assert.Equal(0, direction.Account.Lost);
        Assert.InRange(direction.Account.Datagrams, 1, long.MaxValue);
        RecordingObserver served = Assert.Single(server.Tests);
        await served.Ended.WaitAsync(RunningIperf3Server.Patience, TestContext.Current.CancellationToken);
        Assert.NotNull(served.Outcome);
        server.RunWholeTest();
    }

    [Fact]
    public void Cancel_TestWithoutEnd_IsItsEnd()
    {
        using var server = new RunningIperf3Server();
        using var stop = new CancellationTokenSource();
        var observer = new RecordingObserver { OnInterval = _ => stop.Cancel() };
        Iperf3ClientOptions options = LongTest(server);

        Iperf3Client.Run(
            options with { Parameters = options.Parameters with { Seconds = 0 } },
            observer,
            cancellationToken: stop.Token);

        Assert.Empty(observer.Outcome!.Notes);
    }

    [Fact]
    public void Cancel_BeforeTheStreams_TellsTheServer()
    {
        using var server = new RunningIperf3Server(new Iperf3ServerOptions { QueueLength = 1 });
        using var running = new HandMadeIperf3Client(server.EndPoint);
        running.Run();
        using var stop = new CancellationTokenSource(TimeSpan.FromMilliseconds(200));
        var observer = new RecordingObserver();

        Iperf3Exception fault = Assert.Throws<Iperf3Exception>(
            () => Iperf3Client.Run(server.Options(), observer, cancellationToken: stop.Token));

        Assert.Equal("stopped before the test began", fault.Message);
        Assert.False(observer.Started.IsCompleted);
        running.Vanish(resets: false);
    }

    private static Iperf3ClientOptions LongTest(RunningIperf3Server server) => server.Options() with
    {
        Interval = TimeSpan.FromMilliseconds(100),
        Parameters = new Iperf3Parameters { Seconds = 60, LengthBytes = LengthBytes, BitsPerSecond = 1_000_000 },
    };
}
