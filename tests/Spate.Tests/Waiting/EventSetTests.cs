using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>The promises of every event set, and the numbers of entries in that of epoll.</summary>
public sealed class EventSetTests
{
    private const int PatienceMilliseconds = 20_000;

    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(PatienceMilliseconds);

    public static TheoryData<bool> Forms => EventSocket.Forms;

    [Theory, MemberData(nameof(Forms))]
    public void Once_DatagramsComing_OneReportPerRequest(bool isPortable)
    {
        using EventSet set = EventSocket.CreateSet(isPortable);
        using EventSocket socket = new();
        set.Add(socket.Entry, EventTrigger.Once);
        socket.Send();
        Assert.Equal(0, CountOf(set, 0));

        for (int i = 0; i < 3; i++)
        {
            set.Request(socket.Entry, ReadyEvents.Readable);
            Assert.Equal(ReadyEvents.Readable, WaitFor(set, socket.Entry));
            socket.Send();
            Assert.Equal(0, CountOf(set, 0));
        }
    }

    [Theory, MemberData(nameof(Forms))]
    public void Once_WritableRequested_IsReported(bool isPortable)
    {
        using EventSet set = EventSocket.CreateSet(isPortable);
        using EventSocket socket = new();
        set.Add(socket.Entry, EventTrigger.Once);

        set.Request(socket.Entry, ReadyEvents.Readable | ReadyEvents.Writable);

        Assert.Equal(ReadyEvents.Writable, WaitFor(set, socket.Entry));
        set.Request(socket.Entry, ReadyEvents.Readable);
        socket.Send();
        Assert.Equal(ReadyEvents.Readable, WaitFor(set, socket.Entry));
    }

    [Theory, MemberData(nameof(Forms))]
    public void Edge_EmptiedAndRequestedEachTime_EveryArrivalIsReported(bool isPortable)
    {
        using EventSet set = EventSocket.CreateSet(isPortable);
        using EventSocket socket = new();
        socket.Send();
        set.Add(socket.Entry, EventTrigger.Edge);
        for (int i = 0; i < 100; i++)
        {
            Assert.Equal(ReadyEvents.Readable, WaitFor(set, socket.Entry));
            socket.Take();
            Assert.Equal(0, CountOf(set, 0));
            set.Request(socket.Entry, ReadyEvents.Readable);
            socket.Send();
        }
    }

    [Theory, MemberData(nameof(Forms))]
    public void Edge_ThreadsShareTheSocketInSetsOfTheirOwn_OneIsWokenAndTheOthersCanBe(bool isPortable)
    {
        using EventSet first = EventSocket.CreateSet(isPortable);
        using EventSet second = EventSocket.CreateSet(isPortable);
        using EventSocket socket = new();
        EventEntry other = new(socket.Context.Descriptor, socket.Context);
        first.Add(socket.Entry, EventTrigger.Edge);
        second.Add(other, EventTrigger.Edge);

        socket.Send();

        // In neither set a thread waits, so both report it.
        WaitFor(first, socket.Entry);
        WaitFor(second, other);
        socket.Take();
        first.Request(socket.Entry, ReadyEvents.Readable);
        second.Request(other, ReadyEvents.Readable);
        socket.Send();
        WaitFor(second, other);
    }

    [Theory, MemberData(nameof(Forms))]
    public void Remove_WhileRequested_ReportsNothingUntilAddedAgain(bool isPortable)
    {
        using EventSet set = EventSocket.CreateSet(isPortable);
        using EventSocket socket = new();
        for (int i = 0; i < 20; i++)
        {
            set.Add(socket.Entry, EventTrigger.Edge);
            socket.Send();
            WaitFor(set, socket.Entry);
            socket.Take();
            set.Request(socket.Entry, ReadyEvents.Readable);
            socket.Send();
            set.Remove(socket.Entry);
            set.Remove(socket.Entry);

            Assert.Equal(0, set.Count);
            Assert.Empty(set.All());
            Assert.Equal(0, CountOf(set, 1));
            Assert.False(set.Forget(socket.Entry));
            socket.Take();
        }
    }

    [Theory, MemberData(nameof(Forms))]
    public void Request_EntryOfNoSet_DoesNothing(bool isPortable)
    {
        using EventSet set = EventSocket.CreateSet(isPortable);
        using EventSocket socket = new();
        set.Add(socket.Entry, EventTrigger.Edge);
        set.Remove(socket.Entry);
        socket.Send();

        set.Request(socket.Entry, ReadyEvents.Readable);

        Assert.Equal(0, CountOf(set, 1));
    }

    [Theory, MemberData(nameof(Forms))]
    public void RequestLater_EachTime_AtMostOncePerMillisecondAsIfAllHappened(bool isPortable)
    {
        using EventSet set = EventSocket.CreateSet(isPortable);
        using EventSocket socket = new();
        set.Add(socket.Entry, EventTrigger.Once);
        long start = Environment.TickCount64;
        const int rounds = 50;
        for (int i = 0; i < rounds; i++)
        {
            set.RequestLater(socket.Entry);

            Assert.Equal(ReadyEvents.Readable | ReadyEvents.Writable, WaitFor(set, socket.Entry));
            Assert.False(set.HasLater);
        }

        // A lower bound of time: the first one may come at once, and the tick count has steps of up to 16 ms.
        Assert.InRange(Environment.TickCount64 - start, rounds - 1 - 16, long.MaxValue);
    }

    [Theory]
    [InlineData(false, false, 1)]
    [InlineData(true, false, 2)]
    [InlineData(false, true, 1)]
    [InlineData(true, true, 2)]
    public void Signal_SharedOrNot_EndsWaitsUntilTakenBackOrOne(bool isShared, bool isPortable, int endedWaits)
    {
        using EventSet set = EventSocket.CreateSet(isPortable, isShared);
        EventEntry[] ready = new EventEntry[1];
        set.Signal();
        set.Signal();

        int ended = 0;
        for (int i = 0; i < 2; i++)
        {
            set.Wait(ready, default, timeoutMilliseconds: 0, out bool isSignalled);
            if (isSignalled) ended++;
        }

        Assert.Equal(endedWaits, ended);
        if (isShared) set.EndSignal();
        set.Wait(ready, default, timeoutMilliseconds: 0, out bool isSignalledStill);
        Assert.False(isSignalledStill);
    }

    [Theory, MemberData(nameof(Forms))]
    public void Wait_SeveralThreads_EachReportGoesToOne(bool isPortable)
    {
        const int threadCount = 4, socketCount = 50, roundCount = 20;
        EventSet set = EventSocket.CreateSet(isPortable, isShared: true);
        EventSocket[] sockets = [.. Enumerable.Range(0, socketCount).Select(static _ => new EventSocket())];
        Dictionary<EventEntry, EventSocket> of = sockets.ToDictionary(static socket => socket.Entry);
        int reportCount = 0;
        Thread[] threads = [.. Enumerable.Range(0, threadCount).Select(_ => new Thread(Run))];
        foreach (EventSocket socket in sockets) set.Add(socket.Entry, EventTrigger.Once);
        Array.ForEach(threads, static thread => thread.Start());
        for (int round = 1; round <= roundCount; round++)
        {
            foreach (EventSocket socket in sockets) set.Request(socket.Entry, ReadyEvents.Readable);
            foreach (EventSocket socket in sockets) socket.Send();
            int expected = round * socketCount;
            Wait.Until(() => Volatile.Read(ref reportCount) == expected);
        }

        set.Signal();
        Assert.All(threads, static thread => Assert.True(thread.Join(Patience)));
        set.Dispose();
        Array.ForEach(sockets, static socket => socket.Dispose());

        void Run()
        {
            EventEntry[] ready = new EventEntry[3];
            while (true)
            {
                int found = set.Wait(ready, default, timeoutMilliseconds: -1, out bool isSignalled);
                for (int i = 0; i < found; i++) of[ready[i]].Take();
                Interlocked.Add(ref reportCount, found);
                if (isSignalled) return;
            }
        }
    }

    [Theory, MemberData(nameof(Forms))]
    public void Dispose_ThreadWaits_WaitEndsAndNothingCanBeAdded(bool isPortable)
    {
        EventSet set = EventSocket.CreateSet(isPortable, isShared: true);
        using EventSocket socket = new();
        using EventSocket next = new();
        set.Add(socket.Entry, EventTrigger.Edge);
        int left = 0;
        var waiting = new Thread(() =>
        {
            set.Wait(new EventEntry[1], default, timeoutMilliseconds: -1, out _);
            Volatile.Write(ref left, 1);
        });
        waiting.Start();
        set.Signal();

        set.Dispose();

        Assert.True(waiting.Join(Patience));
        Assert.Equal(1, left);
        Assert.Throws<ObjectDisposedException>(() => set.Add(next.Entry, EventTrigger.Edge));
        Assert.Equal(0, CountOf(set, -1));
        Assert.Equal([socket.Entry], set.All());
        set.Remove(socket.Entry);
        Assert.Empty(set.All());
    }

    [Theory, InlineData(true), InlineData(false)]
    public void Portable_PeekEndsAtOnceAgainAndAgain_IsReportedEachTime(bool isDatagramThere)
    {
        using EventSet set = EventSocket.CreateSet(isPortable: true);
        using EventSocket socket = new();
        set.Add(socket.Entry, EventTrigger.Once);
        if (isDatagramThere) socket.Send();
        else socket.Dispose();
        for (int i = 0; i < 100; i++)
        {
            set.Request(socket.Entry, ReadyEvents.Readable);
            Assert.Equal(ReadyEvents.Readable, WaitFor(set, socket.Entry));
        }
    }

    [Fact]
    public void Portable_WithdrawnAndRequestedAgain_IsReported()
    {
        using EventSet set = EventSocket.CreateSet(isPortable: true);
        using EventSocket socket = new();
        set.Add(socket.Entry, EventTrigger.Once);
        for (int i = 0; i < 100; i++)
        {
            set.Request(socket.Entry, ReadyEvents.Readable);
            set.Withdraw(socket.Entry);
            socket.Send();

            // The end of the cancelled request may be reported too.
            do set.Request(socket.Entry, ReadyEvents.Readable);
            while (WaitFor(set, socket.Entry) == ReadyEvents.Readable && socket.Context.Socket.Available == 0);
            socket.Take();
        }
    }

    [Fact]
    public void Portable_IcmpErrorMeetsThePeek_IsCountedAndNoted()
    {
        Wine.SkipFor("icmp-errors-connected");
        using EventSet set = EventSocket.CreateSet(isPortable: true);
        using EventSocket socket = new(OwnAddress.New().ToIPEndPoint());
        set.Add(socket.Entry, EventTrigger.Edge);

        socket.Send();

        WaitFor(set, socket.Entry);
        Assert.Equal(1, socket.Context.Counters.Read().IcmpErrors);
        Assert.True(socket.Context.IsPortUnreachable);
    }

    [Fact]
    public void Epoll_PlaceUsedAgain_NumberIsNewAndEachEventFindsItsEntry()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "epoll is Linux's.");
        const int count = 200;
        using var set = new EpollEventSet(isShared: false);
        EventSocket[] sockets = [.. Enumerable.Range(0, count).Select(static _ => new EventSocket())];
        EventEntry[] entries = [.. sockets.Select(static socket => socket.Entry)];
        foreach (EventEntry entry in entries) set.Add(entry, EventTrigger.Edge);

        set.Remove(entries[7]);
        set.Remove(entries[7]);
        var next = new EventEntry(entries[7].Descriptor, entries[7].Context);
        set.Add(next, EventTrigger.Edge);

        Assert.Equal((uint)entries[7].Id, (uint)next.Id);
        Assert.NotEqual(entries[7].Id, next.Id);
        Assert.False(set.Forget(entries[7]));
        Assert.Equal(count, set.Count);
        Assert.Equal(count, set.All().Length);
        entries[7] = next;
        for (int i = 0; i < count; i++)
        {
            sockets[i].Send();
            WaitFor(set, entries[i]);
        }

        Array.ForEach(sockets, static socket => socket.Dispose());
    }

    private static int CountOf(EventSet set, int milliseconds) =>
        set.Wait(new EventEntry[1], default, milliseconds, out _);

    /// <summary>Waits until this entry is reported, and none else; returns its events.</summary>
    private static ReadyEvents WaitFor(EventSet set, EventEntry entry)
    {
        EventEntry[] ready = new EventEntry[2];
        ReadyEvents[] events = new ReadyEvents[2];
        long end = Environment.TickCount64 + PatienceMilliseconds;
        int found;
        while ((found = set.Wait(ready, events, PatienceMilliseconds, out bool isSignalled)) == 0)
        {
            Assert.False(isSignalled);
            Assert.True(Environment.TickCount64 < end, "Nothing is reported.");
        }

        Assert.Equal(1, found);
        Assert.Same(entry, ready[0]);
        return events[0];
    }
}
