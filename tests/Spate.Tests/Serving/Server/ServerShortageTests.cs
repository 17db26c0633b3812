using Spate.Interop.Linux;
using Spate.Serving.Shards;
using Spate.Tests.Sockets;
using Spate.Waiting;

namespace Spate.Tests.Serving.Server;

/// <summary>
/// A thread of a server whose receives fail although something is there: it sleeps without the socket, which would
/// wake it at once, and goes on when the fault is over.
/// </summary>
public sealed class ServerShortageTests
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
        using FilledBatch batch = new(socket.CreateReceiveBatch());
        using var waiter = new SeenWaiter();
        SocketSet set = new([socket], WaitOf(wait, waiter));
        FaultySocket.SendNumbered(socket.LocalEndPoint, 1);
        faults.FailEvery(CallKind.ReceiveMany, 1, errno);

        for (int i = 0; i < RoundCount; i++) Assert.False(set.Receive(batch, -1));

        Assert.Equal(Enumerable.Repeat((1, false), RoundCount), waiter.Waits);
        UdpCounters counters = socket.GetCounters();
        Assert.Equal(2 * RoundCount, errno == Errno.ENOMEM ? counters.NoBufferEvents : counters.UnknownErrors);
        Assert.Contains(events.Written, written => written.Name is "UnknownReceiveError");
        faults.FailEvery(CallKind.ReceiveMany, 1, 0);
        Assert.True(set.Receive(batch, -1));
        Assert.Equal(RoundCount, waiter.Waits.Count);
    }

    private static WaitRule WaitOf(int number, ThreadWaiter waiter)
    {
        var adaptive = new AdaptiveWait(waiter, TimeProvider.System, null);
        return number switch
        {
            0 => new BlockingWait(waiter),
            1 => new SpinningWait(waiter),
            2 => adaptive,
            _ => new CrewWait(new Crew(wakeThreshold: 1), adaptive, waiter),
        };
    }

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
