using System.Diagnostics;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The event set of systems that have neither epoll nor completion ports; uses only System.Net.Sockets. The runtime
/// waits for each requested socket (<see cref="Peek"/>), and the end of that wait wakes a waiting thread.
/// </summary>
internal sealed class PortableEventSet(bool isShared) : EventSet, IReportSink
{
    // Guards all state, also that of the entries. Threads that wait sleep on it.
    private readonly object _lock = new();
    private readonly HashSet<EventEntry> _entries = [];
    private readonly Queue<EventEntry> _ready = new();
    private bool _isSignalled;
    private bool _isClosed;

    /// <inheritdoc/>
    public override int Count
    {
        get
        {
            lock (_lock) return _entries.Count;
        }
    }

    /// <inheritdoc/>
    public override EventEntry[] All()
    {
        lock (_lock) return [.. _entries];
    }

    /// <inheritdoc/>
    public override void Add(EventEntry entry, EventTrigger trigger)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            entry.Trigger = trigger;
            entry.Peek ??= new Peek(this, entry);
            _entries.Add(entry);
        }

        if (trigger == EventTrigger.Edge) Request(entry, ReadyEvents.Readable);
    }

    /// <inheritdoc/>
    public override void Request(EventEntry entry, ReadyEvents events)
    {
        CancellationToken stop;
        lock (_lock)
        {
            if (_isClosed || !_entries.Contains(entry)) return;
            events &= ~(entry.Requested | entry.Happened);
            entry.Requested |= events;
            stop = entry.Peek!.Stop.Token;
        }

        entry.Peek.Start(events, stop);
    }

    /// <inheritdoc/>
    public override void Withdraw(EventEntry entry)
    {
        // While a peek is running, the runtime references the socket, so the peek is cancelled. That is rare: usually
        // nobody waits any more because the peek has ended.
        CancellationTokenSource stop;
        lock (_lock)
        {
            if (entry.Peek is not { } peek || (entry.Requested & ReadyEvents.Readable) == ReadyEvents.None) return;
            stop = peek.Stop;
            peek.Stop = new CancellationTokenSource();
        }

        stop.Cancel();
    }

    /// <inheritdoc/>
    public override void Remove(EventEntry entry)
    {
        if (Forget(entry)) Withdraw(entry);
    }

    /// <inheritdoc/>
    public override bool Forget(EventEntry entry)
    {
        lock (_lock)
        {
            if (!_entries.Remove(entry)) return false;
            entry.Happened = ReadyEvents.None;
            return true;
        }
    }

    /// <inheritdoc/>
    public override int Wait(
        Span<EventEntry> ready, Span<ReadyEvents> events, int timeoutMilliseconds, out bool isSignalled)
    {
        RequireRoom(ready, events);
        int found;
        lock (_lock)
        {
            found = Take(ready, events);
            if (HasLater) timeoutMilliseconds = Deadline.Shorter(timeoutMilliseconds, LaterMilliseconds);
            if (found == 0 && !_isSignalled && !_isClosed && timeoutMilliseconds != 0)
            {
                // Waits once, not in a loop: the caller checks why the wait ended, and how much time is left.
                Monitor.Wait(_lock, timeoutMilliseconds);
                found = Take(ready, events);
            }

            isSignalled = _isSignalled;
            if (!isShared) _isSignalled = false;
        }

        return HasLater ? TakeLater(ready, events, found) : found;
    }

    /// <inheritdoc/>
    public override void Signal()
    {
        lock (_lock)
        {
            _isSignalled = true;
            Monitor.PulseAll(_lock);
        }
    }

    /// <inheritdoc/>
    public override void EndSignal()
    {
        lock (_lock) _isSignalled = false;
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        lock (_lock)
        {
            _isClosed = true;
            _ready.Clear();
            Monitor.PulseAll(_lock);
        }

        foreach (EventEntry entry in All()) Withdraw(entry);
    }

    private int Take(Span<EventEntry> ready, Span<ReadyEvents> events)
    {
        Debug.Assert(Monitor.IsEntered(_lock));
        int found = 0;
        while (found < ready.Length && _ready.TryDequeue(out EventEntry? entry))
        {
            // The entry was removed after the event.
            if (entry.Happened == ReadyEvents.None) continue;
            if (!events.IsEmpty) events[found] = entry.Happened;
            entry.Happened = ReadyEvents.None;
            ready[found++] = entry;
        }

        return found;
    }

    /// <inheritdoc/>
    public void Report(EventEntry entry, ReadyEvents happened)
    {
        lock (_lock)
        {
            Debug.Assert((entry.Requested & happened) == happened, "Each request is reported once.");
            entry.Requested &= ~happened;
            if (_isClosed || !_entries.Contains(entry)) return;
            if (entry.Happened == ReadyEvents.None) _ready.Enqueue(entry);
            entry.Happened |= happened;
            Monitor.Pulse(_lock);
        }
    }
}
