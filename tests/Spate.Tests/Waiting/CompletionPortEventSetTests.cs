using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>
/// The waits for event handles in a completion port. <see cref="EventSetTests"/> has the promises of every event set.
/// </summary>
public sealed class CompletionPortEventSetTests : IDisposable
{
    private const int PatienceMilliseconds = 20_000;

    // Long enough for a thread of the system's pool to make a wrong report.
    private const int SilenceMilliseconds = 50;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly AutoResetEvent _event = new(initialState: false);
    private readonly SocketContext _context;

    public CompletionPortEventSetTests()
    {
        Assert.SkipUnless(OperatingSystem.IsWindows(), "Completion ports are Windows's.");
        _context = new SocketContext(_socket, new UdpSocketOptions(), default);
    }

    [Fact]
    public void Once_EventSignalled_OneReportPerRequest()
    {
        using EventSet set = EventSet.Create(isShared: false);
        EventEntry entry = NewEntry();
        set.Add(entry, EventTrigger.Once);
        _event.Set();
        Assert.Equal(0, CountOf(set, SilenceMilliseconds));
        for (int i = 0; i < 100; i++)
        {
            set.Request(entry, ReadyEvents.Readable);
            WaitFor(set, entry);
            Assert.Equal(0, CountOf(set, 0));
            _event.Set();
        }
    }

    [Fact]
    public void Edge_SignalledBeforeAddAndAfterEachRequest_IsReported()
    {
        using EventSet set = EventSet.Create(isShared: true);
        EventEntry entry = NewEntry();
        _event.Set();
        set.Add(entry, EventTrigger.Edge);
        for (int i = 0; i < 100; i++)
        {
            WaitFor(set, entry);
            set.Request(entry, ReadyEvents.Readable);
            _event.Set();
        }
    }

    [Fact]
    public void Withdraw_WhileRequested_EventKeepsItsSignal()
    {
        using EventSet set = EventSet.Create(isShared: false);
        EventEntry entry = NewEntry();
        set.Add(entry, EventTrigger.Once);
        for (int i = 0; i < 20; i++)
        {
            set.Request(entry, ReadyEvents.Readable);
            set.Withdraw(entry);
            _event.Set();
            Assert.Equal(0, CountOf(set, i == 0 ? SilenceMilliseconds : 0));
            set.Request(entry, ReadyEvents.Readable);
            WaitFor(set, entry);
        }
    }

    [Fact]
    public void Remove_AfterItTookTheSignal_TheOtherSetsGetIt()
    {
        using EventSet parked = EventSet.Create(isShared: false);
        using EventSet other = EventSet.Create(isShared: false);
        EventEntry first = NewEntry();
        EventEntry second = NewEntry();
        other.Add(second, EventTrigger.Once);
        for (int i = 0; i < 20; i++)
        {
            parked.Add(first, EventTrigger.Once);
            parked.Request(first, ReadyEvents.Readable);
            _event.Set();
            WaitFor(parked, first);
            parked.Remove(first);

            other.Request(second, ReadyEvents.Readable);
            WaitFor(other, second);
        }
    }

    [Fact]
    public void Remove_WhileRequested_EventKeepsItsSignalAndPlaceIsUsedAgain()
    {
        using EventSet set = EventSet.Create(isShared: false);
        EventEntry entry = NewEntry();
        for (int i = 0; i < 50; i++)
        {
            set.Add(entry, EventTrigger.Edge);
            ulong id = entry.Id;
            if (i % 2 == 0) set.Remove(entry);
            else Assert.True(set.Forget(entry));
            _event.Set();
            Assert.True(_event.WaitOne(0));

            EventEntry next = NewEntry();
            set.Add(next, EventTrigger.Edge);
            Assert.Equal((uint)id, (uint)next.Id);
            Assert.NotEqual(id, next.Id);
            _event.Set();
            WaitFor(set, next);
            set.Remove(next);
        }
    }

    [Fact]
    public void Remove_ReportedAndNotTaken_LatePacketFindsNothing()
    {
        using EventSet set = EventSet.Create(isShared: false);
        EventEntry entry = NewEntry();
        set.Add(entry, EventTrigger.Edge);
        _event.Set();
        Wait.Until(() => entry.Happened != ReadyEvents.None);

        set.Remove(entry);
        EventEntry next = NewEntry();
        set.Add(next, EventTrigger.Once);

        Assert.Equal(0, CountOf(set, SilenceMilliseconds));
    }

    [Fact]
    public void Edge_TwoSetsOfOneEvent_PassedOnWhereNoThreadWaits()
    {
        using EventSet first = EventSet.Create(isShared: false);
        using EventSet second = EventSet.Create(isShared: false);
        EventEntry entry = NewEntry(), other = NewEntry();
        first.Add(entry, EventTrigger.Edge);
        second.Add(other, EventTrigger.Edge);

        _event.Set();

        // In neither set a thread waits when the event comes, so both report it.
        Wait.Until(() => entry.Happened != ReadyEvents.None && other.Happened != ReadyEvents.None);
        WaitFor(first, entry);
        WaitFor(second, other);
    }

    [Fact]
    public void Remove_EventComesAtTheSameTime_NothingIsReportedAfterwards()
    {
        using EventSet set = EventSet.Create(isShared: false);
        for (int i = 0; i < 200; i++)
        {
            EventEntry entry = NewEntry();
            set.Add(entry, EventTrigger.Edge);
            _event.Set();
            set.Remove(entry);
            Assert.Equal(0, CountOf(set, 0));
            _event.Reset();
        }
    }

    [Fact]
    public void Dispose_WhileRequested_EndsTheWaits()
    {
        EventSet set = EventSet.Create(isShared: true);
        EventEntry entry = NewEntry();
        set.Add(entry, EventTrigger.Edge);

        set.Dispose();

        _event.Set();
        Assert.True(_event.WaitOne(0));
        set.Remove(entry);
    }

    [Fact]
    public void Set_NobodyRefersToIt_IsCollectedWithItsWaits()
    {
        WeakReference forgotten = Forget(this);

        Wait.Until(() =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            return !forgotten.IsAlive;
        });
        _event.Set();
        Assert.True(_event.WaitOne(0));

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Forget(CompletionPortEventSetTests test)
        {
            EventSet set = EventSet.Create(isShared: true);
            EventEntry entry = test.NewEntry();
            set.Add(entry, EventTrigger.Edge);
            return new WeakReference(entry.EventWait, trackResurrection: true);
        }
    }

    [Fact]
    public void Wait_AfterTheFirst_AllocatesNothing()
    {
        using EventSet set = EventSet.Create(isShared: false);
        EventEntry entry = NewEntry();
        EventEntry[] ready = new EventEntry[1];
        set.Add(entry, EventTrigger.Once);
        Once();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 100; i++) Once();

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());

        void Once()
        {
            _event.Set();
            set.Request(entry, ReadyEvents.Readable);
            while (set.Wait(ready, default, PatienceMilliseconds, out _) == 0)
            {
                // A wait may end early.
            }
        }
    }

    public void Dispose()
    {
        _event.Dispose();
        _socket.Dispose();
    }

    private EventEntry NewEntry() => new((int)_event.SafeWaitHandle.DangerousGetHandle(), _context);

    private static int CountOf(EventSet set, int milliseconds) =>
        set.Wait(new EventEntry[1], default, milliseconds, out _);

    private static void WaitFor(EventSet set, EventEntry entry)
    {
        EventEntry[] ready = new EventEntry[2];
        long end = Environment.TickCount64 + PatienceMilliseconds;
        int found;
        while ((found = set.Wait(ready, default, PatienceMilliseconds, out _)) == 0)
            Assert.True(Environment.TickCount64 < end, "Nothing is reported.");
        Assert.Equal(1, found);
        Assert.Same(entry, ready[0]);
    }
}
