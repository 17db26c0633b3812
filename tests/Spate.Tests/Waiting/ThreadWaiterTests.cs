using Spate.Tests.Serving;
using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>Sleeping threads are woken, whenever the wake-up comes.</summary>
public sealed class ThreadWaiterTests
{
    private const int RoundCount = 20_000;

    public static TheoryData<bool> Forms => EventSocket.Forms;

    [Theory, MemberData(nameof(Forms))]
    public void Wake_BeforeTheSleep_EndsItAtOnce(bool isPortable)
    {
        using EventSocket socket = new();
        using ThreadWaiter waiter = Create(isPortable, socket);
        waiter.Wake();
        waiter.Wake();
        RunToEnd(() => waiter.Sleep(-1, forSockets: true));
        waiter.Wake();
        RunToEnd(() => waiter.Sleep(-1, forSockets: false));
        Assert.Equal(0, waiter.Sleeps);
    }

    [Theory, MemberData(nameof(Forms))]
    public void Wake_AnyMoment_NoneIsLost(bool isPortable)
    {
        using EventSocket socket = new();
        using ThreadWaiter waiter = Create(isPortable, socket);
        int asked = 0, seen = 0;
        var sleeper = new Thread(() =>
        {
            for (int round = 0; Volatile.Read(ref seen) < RoundCount; round++)
            {
                if (round % 2 == 0) waiter.Sleep(-1, forSockets: true);
                else waiter.Sleep(-1, forSockets: false);
                Volatile.Write(ref seen, Volatile.Read(ref asked));
            }
        });
        sleeper.Start();
        SpinWait.SpinUntil(() => waiter.Sleeps > 0, ServerCase.Patience);
        for (int i = 1; i <= RoundCount; i++)
        {
            Volatile.Write(ref asked, i);
            waiter.Wake();

            // Every other time the sleeper must have seen it before the next: a lost one would be for ever.
            if (i % 2 != 0) continue;
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref seen) == i, ServerCase.Patience), $"{i} was lost.");
        }

        Assert.True(sleeper.Join(ServerCase.Patience));
    }

    [Theory, MemberData(nameof(Forms))]
    public void Sleep_SocketReadable_EndsAndParkDoesNot(bool isPortable)
    {
        using EventSocket socket = new();
        using ThreadWaiter waiter = Create(isPortable, socket);
        socket.Send();
        RunToEnd(() => waiter.Sleep(-1, forSockets: true));
        var parked = new Thread(() => waiter.Sleep(-1, forSockets: false));
        parked.Start();
        Assert.True(SpinWait.SpinUntil(() => waiter.Sleeps == 2, ServerCase.Patience));
        Assert.False(parked.Join(50), "A datagram ended a park.");
        waiter.Wake();
        Assert.True(parked.Join(ServerCase.Patience));
        RunToEnd(() => waiter.Sleep(1, forSockets: true));
        RunToEnd(() => waiter.Sleep(0, forSockets: true));
    }

    [Fact]
    public void Wake_ManyTimesInOneSleep_OneSignal()
    {
        using var asleep = new Signal();
        TestEventSet set = new(asleep.Set);
        using ThreadWaiter waiter = new(set);
        var sleeper = new Thread(() => waiter.Sleep(-1, forSockets: true));
        sleeper.Start();
        Assert.True(asleep.Wait());
        for (int i = 0; i < 5; i++) waiter.Wake();
        Assert.True(sleeper.Join(ServerCase.Patience));
        Assert.Equal(1, set.SignalCount);
        for (int i = 0; i < 5; i++) waiter.Wake();
        Assert.Equal(1, set.SignalCount);
    }

    [Theory, MemberData(nameof(Forms))]
    public void Wake_Disposed_DoesNothing(bool isPortable)
    {
        using EventSocket socket = new();
        ThreadWaiter waiter = Create(isPortable, socket);
        waiter.Dispose();
        waiter.Dispose();
        waiter.Wake();
    }

    [Theory, MemberData(nameof(Forms))]
    public void Sleep_AfterAPark_StillEndsWhenTheSocketIsReady(bool isPortable)
    {
        using EventSocket socket = new();
        using ThreadWaiter waiter = Create(isPortable, socket);

        for (int round = 0; round < 20; round++)
        {
            waiter.Sleep(1, forSockets: false);
            socket.Send();
            RunToEnd(() => SleepUntilReadable(waiter, socket));
            socket.Take();
        }
    }

    [Theory, MemberData(nameof(Forms))]
    public void Sleep_SocketEmptiedBeforeEach_EveryDatagramEndsOne(bool isPortable)
    {
        const int count = 1_000;
        using EventSocket first = new();
        using EventSocket second = new();
        using ThreadWaiter waiter = new(EventSocket.CreateSet(isPortable), first.Entry, second.Entry);
        int taken = 0;
        var thread = new Thread(() =>
        {
            while (Volatile.Read(ref taken) < 2 * count)
            {
                foreach (EventSocket socket in new[] { first, second })
                {
                    while (socket.Context.Socket.Available > 0)
                    {
                        socket.Take();
                        taken++;
                    }
                }

                if (taken < 2 * count) waiter.Sleep(-1, forSockets: true);
            }
        });
        thread.Start();
        for (int i = 1; i <= count; i++)
        {
            first.Send();
            second.Send();
            if (i % 4 == 0) Wait.Until(() => Volatile.Read(ref taken) == 2 * i);
        }

        Assert.True(thread.Join(ServerCase.Patience), "A datagram ended no sleep.");
    }

    private static void RunToEnd(Action action)
    {
        var thread = new Thread(() => action());
        thread.Start();
        Assert.True(thread.Join(ServerCase.Patience), "The sleep did not end.");
    }

    // A sleep may end early, for instance by the end of a request that a park has withdrawn.
    private static void SleepUntilReadable(ThreadWaiter waiter, EventSocket socket)
    {
        do waiter.Sleep(-1, forSockets: true);
        while (socket.Context.Socket.Available == 0);
    }

    private static ThreadWaiter Create(bool isPortable, EventSocket socket) =>
        new(EventSocket.CreateSet(isPortable), socket.Entry);
}
