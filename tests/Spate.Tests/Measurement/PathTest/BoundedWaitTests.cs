using System.Diagnostics;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>An end that is heard but does not do what it should: every wait for it ends, and can be stopped.</summary>
public sealed class BoundedWaitTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(15);

    private static readonly TimeSpan HeartbeatPause = TimeSpan.FromMilliseconds(20);

    [Theory]
    [InlineData("Start", TestDirection.Forward, "has not started the test within 10 s")]
    [InlineData("Finish", TestDirection.Forward, "has not acknowledged how much was sent within 10 s")]
    [InlineData("Heartbeat", TestDirection.Reverse, "has not ended the data within 35 s")]
    [InlineData("Fetch", TestDirection.Forward, "has not sent its report within 30 s")]
    internal void Client_ServerOnlyHeartbeats_GivesUpInTime(string silentOn, TestDirection direction, string expected)
    {
        using var server = new HandMadeServer(Kind(silentOn));
        using TestClient client = TestClient.Connect(Options(server, direction), new FastTime(), Cancelled);

        TrafficException fault = Assert.Throws<TrafficException>(() => client.Run(cancellationToken: Cancelled));

        Assert.Equal($"{server.EndPoint} {expected}", fault.Message);
    }

    [Theory]
    [InlineData("Start", TestDirection.Forward, "stopped before {0} had started the test")]
    [InlineData("Finish", TestDirection.Forward, "{0} has not ended the data, which was stopped here, within 2 s")]
    [InlineData("Heartbeat", TestDirection.Reverse, "{0} has not ended the data, which was stopped here, within 2 s")]
    [InlineData("Fetch", TestDirection.Forward, "stopped before {0} had sent its report")]
    internal void Client_StoppedWhileServerOnlyHeartbeats_Ends(
        string silentOn, TestDirection direction, string expected)
    {
        using var stop = new CancellationTokenSource();
        ControlKind kind = Kind(silentOn);
        using var server = new HandMadeServer(kind)
        {
            // The stop comes when the client is in the wait that is to be stopped.
            OnDatagram = payload =>
            {
                if (ControlMessage.TryRead(payload, out ControlMessage message)
                    && message.Kind == kind)
                {
                    stop.Cancel();
                }
            },
        };
        using TestClient client = TestClient.Connect(Options(server, direction), cancellationToken: Cancelled);

        TrafficException fault = Assert.Throws<TrafficException>(() => client.Run(cancellationToken: stop.Token));

        Assert.Equal(string.Format(null, expected, server.EndPoint), fault.Message);
    }

    [Theory]
    [InlineData(TestDirection.Forward, 30, "has not ended its test within 31 s")]
    [InlineData(TestDirection.Reverse, 9, "has not acknowledged how much was sent within 10 s")]
    internal void Server_ClientOnlyHeartbeats_EndsTheTestAndTellsTheClientMoreThanOnce(
        TestDirection direction, double fastSeconds, string expected)
    {
        // The server repeats its refusal for half a second, which a fast clock would make too short for a busy machine.
        using var server = new RunningServer(time: new FastTime(fastSeconds: fastSeconds));
        using var control = new HandMadeClient(server.EndPoint);
        using var flow = new HandMadeClient(server.EndPoint);
        ulong token = control.Start(
            flow, new TestParameters { Direction = direction, Seconds = 1, DatagramCount = 10, SizeBytes = 64 });

        List<string> refusals = SendHeartbeatsUntilEnded(server, control, token);

        Assert.InRange(refusals.Count, 2, 20);
        Assert.All(refusals, text => Assert.Equal($"{control.Socket.LocalEndPoint} {expected}", text));
        string end = server.Notices.Last();
        Assert.Contains("is over: failed: ", end, StringComparison.Ordinal);
        Assert.Contains(expected, end, StringComparison.Ordinal);
    }

    [Fact]
    public void Server_ClientNeverStarts_EndsTheTest()
    {
        using var server = new RunningServer(time: new FastTime());
        using var control = new HandMadeClient(server.EndPoint);
        ulong token = control.Begin(new TestParameters { Seconds = 3600 });

        List<string> refusals = SendHeartbeatsUntilEnded(server, control, token);

        Assert.Equal(
            $"{control.Socket.LocalEndPoint} has not begun its data within 30 s",
            Assert.Single(refusals.Distinct(StringComparer.Ordinal)));
    }

    [Fact]
    public void Server_EndsATest_RepeatsTheReasonUntilTheByeOnly()
    {
        using var server = new RunningServer(time: new FastTime());
        using var control = new HandMadeClient(server.EndPoint);
        ulong token = control.Begin();

        List<string> refusals = SendHeartbeatsUntilEnded(server, control, token, sendsBye: true);

        Assert.InRange(refusals.Count, 1, 3);
    }

    [Fact]
    public async Task Server_OnceAndClientGoneDuringTheData_Ends()
    {
        using var server = new RunningServer(new TestServerOptions { EndsAfterOne = true });
        TestClientOptions options = server.Options().Asking(static test =>
        {
            test.DatagramCount = null;
            test.DatagramsPerSecond = 500;
        });
        TestClient client = TestClient.Connect(options, cancellationToken: Cancelled);
        Task run = Task.Factory.StartNew(
            () => Assert.ThrowsAny<Exception>(() => client.Run((_, _) => client.Abandon(), Cancelled)),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

        await server.Ended.WaitAsync(Patience, Cancelled);

        await run;
        Assert.Contains("is over: failed: ", server.Notices.Last(), StringComparison.Ordinal);
    }

    [Fact]
    public void Refusal_WithoutABody_IsOneOfNoText() => Assert.Equal("", HandshakeBodies.TextOfRefusal([]));

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    private static ControlKind Kind(string name) => Enum.Parse<ControlKind>(name);

    private static TestClientOptions Options(HandMadeServer server, TestDirection direction) => new()
    {
        Servers = [server.EndPoint],
        Parameters = new TestParameters
        {
            SizeBytes = 64,
            Direction = direction,
            DatagramCount = 10,
            DatagramsPerSecond = 1000,
            Seconds = 5,
        },
    };

    /// <summary>Sends heartbeats until the server has no test any more. Returns the refusals that came.</summary>
    private static List<string> SendHeartbeatsUntilEnded(
        RunningServer server, HandMadeClient control, ulong token, bool sendsBye = false)
    {
        var refusals = new List<string>();
        byte[] body = new byte[Heartbeat.Bytes];
        long start = Stopwatch.GetTimestamp();
        control.Socket.ReceiveTimeout = (int)HeartbeatPause.TotalMilliseconds;
        for (long beat = 0; server.Server.ClientCount > 0; beat++)
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < Patience, "The server did not end the test.");
            control.Send(ControlMessage.Create(ControlKind.Heartbeat, token, body, beat));
            while (control.TryReceive() is { } payload)
            {
                if (!ControlMessage.TryRead(payload, out ControlMessage message)
                    || message.Kind != ControlKind.Refuse)
                {
                    break;
                }

                refusals.Add(HandshakeBodies.TextOfRefusal(message.Body));
                if (sendsBye) control.Send(ControlMessage.Create(ControlKind.Bye, token, []));
            }
        }

        return refusals;
    }
}
