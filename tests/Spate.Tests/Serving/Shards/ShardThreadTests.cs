using Spate.Serving;
using Spate.Serving.Lifetime;
using Spate.Serving.Shards;
using Spate.Tests.Waiting;
using Spate.Waiting;

namespace Spate.Tests.Serving.Shards;

/// <summary>The loop of a thread that runs a handler: when it ticks, and how long it sleeps until then.</summary>
public sealed class ShardThreadTests
{
    private readonly FakeTime _time = new();

    [Fact]
    public async Task Tick_TimePasses_DueOncePerIntervalAndMissedOnesAreNotMadeUpFor()
    {
        List<TimeSpan> ticks = [];
        double[] passing = [9.5, 100, 0];

        IEnumerable<int> sleeps = await RunAsync(TimeSpan.FromMilliseconds(10), ticks.Add, passing);

        Assert.Equal([10, 1, 10], sleeps);
        Assert.Equal([TimeSpan.FromMilliseconds(109.5)], ticks);
    }

    [Fact]
    public async Task Tick_NoInterval_NeverDue()
    {
        IEnumerable<int> sleeps = await RunAsync(interval: null, _ => Assert.Fail("No ticks were asked for."), 1e9, 0);

        Assert.Equal([-1, -1], sleeps);
    }

    // Runs a thread whose sleeps last as long as stated, by its clock; the last one ends the thread.
    private async Task<IEnumerable<int>> RunAsync(TimeSpan? interval, Action<TimeSpan> onTick, params double[] sleeps)
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        ResolvedServerOptions plan = new(
            new UdpServerOptions
            {
                LocalEndPoints = [socket.LocalEndPoint],
                TickInterval = interval,
                Socket = new UdpSocketOptions { TimeProvider = _time },
            },
            _ => new TestHandler { Tick = (now, _) => onTick(now) });
        using StopDeadline end = StopDeadline.AtOnce();
        ShardThread? thread = null;
        TestEventSet? set = null;
        set = new TestEventSet(PassTime) { ReturnsAtOnce = true };
        thread = new ShardThread(
            plan,
            index: 0,
            [socket],
            () => new SocketSource(
                [socket],
                new ReceivedBatch(socket.CreateReceiveBatch()),
                new ThreadWaiter(set),
                spinner: null,
                active: null),
            () => { });
        thread.Start(_ => { });
        await thread.Ended.WaitAsync(ServerCase.Patience, ServerCase.Cancellation);
        return set.Waits.Select(static wait => wait.Milliseconds);

        void PassTime()
        {
            _time.Advance(TimeSpan.FromMilliseconds(sleeps[set!.Waits.Count - 1]));
            if (set.Waits.Count == sleeps.Length) thread!.End(end);
        }
    }
}
