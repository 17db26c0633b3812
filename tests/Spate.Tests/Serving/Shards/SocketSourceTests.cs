using Spate.Interop.Linux;
using Spate.Serving.Shards;
using Spate.Serving.Threading;
using Spate.TestHelpers.Diagnostics;
using Spate.Tests.Sockets;
using Spate.Tests.Waiting;
using Spate.Waiting;

namespace Spate.Tests.Serving.Shards;

/// <summary>
/// A thread of a server whose receives fail although something is there: it sleeps without the socket, which would
/// wake it at once, and goes on when the fault is over.
/// </summary>
public sealed class SocketSourceTests
{
    private const int RoundCount = 20;

    public static TheoryData<bool> Forms => EventSocket.Forms;

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
        TestEventSet set = new() { ReturnsAtOnce = true };
        ThreadWaiter waiter = new(set, new EventEntry(socket.PollDescriptor, socket.Context));
        using SocketSource source = new(
            [socket], batch, waiter, SpinnerOf(wait), wait == 3 ? new ActiveThreads(wakeThreshold: 1) : null);
        FaultySocket.SendNumbered(socket.LocalEndPoint, 1);
        faults.FailEvery(CallKind.ReceiveMany, 1, errno);

        for (int i = 0; i < RoundCount; i++) Assert.False(source.Receive(batch, -1));

        Assert.Equal(Enumerable.Repeat((1, false), RoundCount), set.Waits);
        UdpCounters counters = socket.GetCounters();
        Assert.Equal(2 * RoundCount, errno == Errno.ENOMEM ? counters.NoBufferEvents : counters.UnknownErrors);
        Assert.Contains(events.Written, written => written.Name is "UnknownReceiveError");
        faults.FailEvery(CallKind.ReceiveMany, 1, 0);
        Assert.True(source.Receive(batch, -1));
        Assert.Equal(RoundCount, set.Waits.Count);
    }

    [Theory, MemberData(nameof(Forms))]
    public void Receive_SocketsOfOneThread_EveryDatagramEndsASleep(bool isPortable)
    {
        const int count = 500;
        UdpSocketOptions options = new() { Backend = UdpBackend.Portable };
        UdpSocket[] sockets = [.. Enumerable.Range(0, 3).Select(_ => UdpSocket.Bind(UdpEndPoint.Loopback(0), options))];
        ThreadWaiter waiter = new(
            EventSocket.CreateSet(isPortable),
            [.. sockets.Select(static one => new EventEntry(one.PollDescriptor, one.Context))]);
        ReceivedBatch batch = new(sockets[0].CreateReceiveBatch());
        using SocketSource source = new(sockets, batch, waiter, spinner: null, active: null);
        int received = 0;
        var thread = new Thread(() =>
        {
            while (Volatile.Read(ref received) < count * sockets.Length)
            {
                if (source.Receive(batch, -1)) Interlocked.Add(ref received, batch.Batch.Count);
            }
        });
        thread.Start();
        for (int i = 1; i <= count; i++)
        {
            foreach (UdpSocket socket in sockets) socket.SendTo([1], socket.LocalEndPoint);
            if (i % 3 == 0) Wait.Until(() => Volatile.Read(ref received) == i * sockets.Length);
        }

        Assert.True(thread.Join(ServerCase.Patience));
        Assert.True(source.Sleeps > 0);
        Array.ForEach(sockets, static socket => socket.Dispose());
    }

    private static Spinner? SpinnerOf(int number) => number switch
    {
        0 => null,
        1 => new EndlessSpinner(),
        _ => new AdaptiveSpinner(TimeProvider.System, SpinLimit.None),
    };
}
