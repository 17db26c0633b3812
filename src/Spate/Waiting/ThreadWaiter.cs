using System.Diagnostics;

namespace Spate.Waiting;

/// <summary>
/// Lets one thread of a server sleep until one of its sockets can be read or another thread wakes it. No wake-up is
/// lost: a wake-up before a sleep ends that sleep at once. Several wake-ups during one sleep send only one signal.
/// </summary>
/// <remarks>
/// A thread that sleeps only on wake-ups (a parked thread) removes the sockets from its set until it sleeps on them
/// again. Otherwise the kernel would go through the sets of parked threads too, for every datagram that arrives at a
/// socket in these sets.
/// </remarks>
internal sealed class ThreadWaiter : IDisposable
{
    private readonly Lock _lock = new();
    private readonly EventSet _set;
    private readonly EventEntry[] _sockets;

    // One entry is enough, because the thread tries all its sockets after each wait.
    private readonly EventEntry[] _ready = new EventEntry[1];
    private bool _hasSockets;
    private int _isAsleep;
    private int _isWoken;
    private bool _disposed;

    /// <param name="set">A set in which no other thread waits. The waiter disposes it.</param>
    /// <param name="sockets">The sockets of the thread. It must try all of them before each sleep.</param>
    /// <exception cref="System.Net.Sockets.SocketException">The system refused.</exception>
    public ThreadWaiter(EventSet set, params EventEntry[] sockets)
    {
        _set = set;
        _sockets = sockets;
        try
        {
            AddSockets();
        }
        catch
        {
            set.Dispose();
            throw;
        }
    }

    /// <summary>The number of times that the thread went to sleep.</summary>
    public long Sleeps { get; private set; }

    /// <summary>
    /// Sleeps until a socket is ready, <see cref="Wake"/> was called or the timeout ends. Only the thread that owns the
    /// waiter calls this.
    /// </summary>
    /// <param name="timeoutMilliseconds">The longest sleep; -1 sleeps forever, 0 not at all.</param>
    /// <param name="forSockets">Whether a ready socket ends the sleep.</param>
    public void Sleep(int timeoutMilliseconds, bool forSockets)
    {
        if (timeoutMilliseconds == 0) return;
        Debug.Assert(!_disposed, "The numbers of the closed descriptors may belong to other files by now.");
        int wasAsleep = Interlocked.Exchange(ref _isAsleep, 1);
        Debug.Assert(wasAsleep == 0, "Only the thread that owns the waiter sleeps in it.");
        if (Interlocked.Exchange(ref _isWoken, 0) == 0)
        {
            Sleeps++;
            Wait(timeoutMilliseconds, forSockets);
        }

        // Full barriers: the caller looks for work after every sleep. It must not read before the wake-up is cleared
        // here, or it could miss the work for which it was woken.
        Interlocked.Exchange(ref _isAsleep, 0);
        Interlocked.Exchange(ref _isWoken, 0);
    }

    /// <summary>Wakes the thread. Any thread may call this at any time.</summary>
    public void Wake()
    {
        // Both exchanges are full barriers: either the sleeper sees the wake-up, or this call sees the sleeper.
        Interlocked.Exchange(ref _isWoken, 1);
        if (Interlocked.Exchange(ref _isAsleep, 0) == 0) return;
        lock (_lock)
        {
            // A late signal must not reach a descriptor whose number belongs to another file by now.
            if (!_disposed) _set.Signal();
        }
    }

    /// <summary>Closes the waiter. Called after the last sleep of the thread.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_disposed) return;
            _disposed = true;
            _set.Dispose();
        }
    }

    private void Wait(int timeoutMilliseconds, bool forSockets)
    {
        if (forSockets && !_hasSockets) AddSockets();
        else if (!forSockets && _hasSockets) RemoveSockets();
        if (forSockets)
        {
            foreach (EventEntry socket in _sockets) _set.Request(socket, ReadyEvents.Readable);
        }

        // A signal of an earlier sleep may still be pending. It then ends this wait early, but only once.
        _set.Wait(_ready, default, timeoutMilliseconds, out _);
    }

    private void AddSockets()
    {
        foreach (EventEntry socket in _sockets) _set.Add(socket, EventTrigger.Edge);
        _hasSockets = true;
    }

    private void RemoveSockets()
    {
        _hasSockets = false;
        foreach (EventEntry socket in _sockets) _set.Remove(socket);
    }
}
