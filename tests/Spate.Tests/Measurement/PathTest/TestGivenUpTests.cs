using Spate.Measurement.PathTest;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>What a server does with its tests when it is stopped.</summary>
public sealed class TestGivenUpTests
{
    [Fact]
    public async Task Stop_ServerThatSends_SendsNoDataWhileItTellsTheClient()
    {
        var server = new RunningServer();
        using var control = new HandMadeClient(server.EndPoint);
        using var flow = new HandMadeClient(server.EndPoint);
        _ = control.Start(
            flow, new TestParameters { Direction = TestDirection.Reverse, DatagramsPerSecond = 2000, Seconds = 20 });
        Assert.NotNull(flow.TryReceive());

        Task stop = Task.Factory.StartNew(
            server.Dispose,
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

        // The client says no bye, so it is told every 50 ms. The senders may take the first of them to end.
        AwaitRefusals(control, 4);
        while (flow.Socket.Available > 0) _ = flow.TryReceive();
        AwaitRefusals(control, 4);
        Assert.Equal(0, flow.Socket.Available);
        await stop;
    }

    private static void AwaitRefusals(HandMadeClient client, int count)
    {
        while (count > 0)
        {
            byte[]? datagram = client.TryReceive();
            Assert.NotNull(datagram);
            if (ControlMessage.TryRead(datagram, out ControlMessage message) && message.Kind == ControlKind.Refuse)
            {
                count--;
            }
        }
    }
}
