using Spate.Interop.Linux;
using Spate.Serving.Shards;
using Spate.Serving.Threading;
using Spate.TestHelpers.Diagnostics;
using Spate.Tests.Sockets;
using Spate.Waiting;

namespace Spate.Tests.Serving.Shards;

/// <summary>
/// A thread of a server whose receives fail although something is there: it sleeps without the socket, which would
/// wake it at once, and goes on when the fault is over.
/// </summary>
public sealed class SocketSourceTests
{
    private const int RoundCount = 20;

    public static TheoryData<int, int> Cases
    {
        get
        {
            TheoryData<int, int> cases = [];
            foreach (int errno in (int[])[Errno.EPERM, Errno.ENOMEM, Errno.EACCES])
            {
                for (int wait = 0; wait < 4; wait++) cases.Add(errno, wait);
            }

            return cases;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Receive_ErrorThatLasts_SleepsAndReportsIt(int errno, int wait)
    {
        using var events = new SpateEvents();
        var faults = new FaultSchedule();
        using UdpSocket socket = FaultySocket.Bind(faults);
        ReceivedBatch batch = new(socket.CreateReceiveBatch());
        var waiter = new SeenWaiter();
        using SocketSource source = new(
            [socket], batch, waiter, SpinnerOf(wait), wait == 3 ? new ActiveThreads(wakeThreshold: 1) : null);
        FaultySocket.SendNumbered(socket.LocalEndPoint, 1);
        faults.FailEvery(CallKind.ReceiveMany, 1, errno);

        for (int i = 0; i < RoundCount; i++) Assert.False(source.Receive(batch, -1));

        Assert.Equal(Enumerable.Repeat((1, false), RoundCount), waiter.Waits);
        UdpCounters counters = socket.GetCounters();
        Assert.Equal(2 * RoundCount, errno == Errno.ENOMEM ? counters.NoBufferEvents : counters.UnknownErrors);
        Assert.Contains(events.Written, written => written.Name is "UnknownReceiveError");
        faults.FailEvery(CallKind.ReceiveMany, 1, 0);
        Assert.True(source.Receive(batch, -1));
        Assert.Equal(RoundCount, waiter.Waits.Count);
    }

    private static Spinner? SpinnerOf(int number) => number switch
    {
        0 => null,
        1 => new EndlessSpinner(),
        _ => new AdaptiveSpinner(TimeProvider.System, SpinLimit.None),
    };

    /// <summary>Notes what it was asked for, and returns at once.</summary>
    private sealed class SeenWaiter : ThreadWaiter
    {
        public List<(int Milliseconds, bool ForSockets)> Waits { get; } = [];

        protected override void Wait(int timeoutMilliseconds, bool forSockets) =>
            Waits.Add((timeoutMilliseconds, forSockets));

        protected override void Signal()
        {
        }

        protected override void Close()
        {
        }
    }
}
