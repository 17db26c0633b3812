using System.Diagnostics;
using System.Runtime.CompilerServices;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The threads that wait for all awaited calls of the process. Sockets are spread over the threads in turn: a
/// continuation that runs inline and blocks delays only the sockets of its own thread. Each thread starts when its
/// first socket comes.
/// </summary>
internal sealed class EventThreads(int count, Func<EventSet> createSet)
{
    public const string Name = "Spate readiness";

    private readonly Lock _lock = new();
    private readonly EventThread?[] _threads = new EventThread?[count];
    private int _next;

    /// <summary>The threads of the process; <see cref="Switches.EventThreadCount"/> is their number.</summary>
    public static EventThreads Shared { get; } =
        new(Switches.EventThreadCount, static () => EventSet.Create(isShared: false));

    /// <summary>The thread for the next socket.</summary>
    /// <exception cref="System.Net.Sockets.SocketException">The system has no descriptor to wait with.</exception>
    public EventThread Next()
    {
        lock (_lock)
        {
            EventThread thread = _threads[_next] ??= new EventThread(createSet());
            _next = (_next + 1) % _threads.Length;
            return thread;
        }
    }
}

/// <summary>One of the threads, with the event set in which it waits.</summary>
internal sealed class EventThread
{
    private const int MaxEventsPerWait = 256;
    private const int MinSweepInterval = 64;

    private readonly Thread _thread;
    private int _addedCount;

    public EventThread(EventSet set)
    {
        Set = set;
        try
        {
            _thread = new Thread(Run) { IsBackground = true, Name = EventThreads.Name };
            _thread.UnsafeStart();
        }
        catch
        {
            // The next awaited call tries again with a new set, so this set must leave no open descriptor.
            set.Dispose();
            throw;
        }
    }

    public EventSet Set { get; }

    public void Add(AwaitedEntry entry)
    {
        int sweepInterval = Math.Max(MinSweepInterval, Set.Count / 2);
        if (Interlocked.Increment(ref _addedCount) >= sweepInterval) ForgetCollected();
        Set.Add(entry, EventTrigger.Once);
    }

    public void RequestLater(AwaitedEntry entry)
    {
        Set.RequestLater(entry);
        if (Thread.CurrentThread != _thread) Set.Signal();
    }

    // Removes the entries of collected sockets. Runs once per Count / 2 (at least 64) new entries, so its cost per
    // entry is small.
    private void ForgetCollected()
    {
        Volatile.Write(ref _addedCount, 0);
        foreach (EventEntry entry in Set.All())
        {
            if (((AwaitedEntry)entry).Calls is null) Set.Forget(entry);
        }
    }

    private void Run()
    {
        var ready = new EventEntry[MaxEventsPerWait];
        var events = new ReadyEvents[MaxEventsPerWait];
        while (true)
        {
            int count = Set.Wait(ready, events, timeoutMilliseconds: -1, out _);
            for (int i = 0; i < count; i++) Dispatch((AwaitedEntry)ready[i], events[i]);
        }
    }

    // A separate method, because a local of the waiting method could keep a socket from being collected.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Dispatch(AwaitedEntry entry, ReadyEvents events) => entry.Calls?.OnReady(events);
}

/// <summary>
/// A descriptor of a socket whose calls are awaited. The set lives as long as the process, so the entry references the
/// calls only weakly: a socket that nobody references any more is collected and closed. While calls wait, the reference
/// is strong, because possibly nothing else references the calls and their socket.
/// </summary>
internal sealed class AwaitedEntry(int descriptor, PendingCalls calls) : EventEntry(descriptor, context: null)
{
    private readonly WeakReference<PendingCalls> _calls = new(calls);
    private volatile PendingCalls? _kept;

    /// <summary>The calls of the socket; null after they were collected.</summary>
    public PendingCalls? Calls => _kept ?? (_calls.TryGetTarget(out PendingCalls? calls) ? calls : null);

    /// <summary>Set to the calls while they must not be collected, otherwise to null.</summary>
    public PendingCalls? Kept
    {
        set
        {
            Debug.Assert(value is null || value == Calls, "The entry would keep another socket from being collected.");
            _kept = value;
        }
    }

    /// <inheritdoc/>
    public override SocketContext? Context => Calls?.Context;
}
