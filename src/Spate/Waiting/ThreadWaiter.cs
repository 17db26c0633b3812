namespace Spate.Waiting;

/// <summary>
/// Lets one thread of a server sleep until one of its sockets can be read or another thread wakes it. No wake-up is
/// lost: a wake-up before a sleep ends that sleep at once. Several wake-ups during one sleep send only one signal.
/// </summary>
internal abstract class ThreadWaiter : IDisposable
{
    private readonly Lock _lock = new();
    private int _isAsleep;
    private int _isWoken;
    private bool _disposed;

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
        Interlocked.Exchange(ref _isAsleep, 1);
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
            if (!_disposed) Signal();
        }
    }

    /// <summary>Closes the waiter. Called after the last sleep of the thread.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_disposed) return;
            _disposed = true;
            Close();
        }
    }

    protected abstract void Wait(int timeoutMilliseconds, bool forSockets);

    /// <summary>Ends the running <see cref="Wait"/>, or the next one.</summary>
    protected abstract void Signal();

    protected abstract void Close();
}
