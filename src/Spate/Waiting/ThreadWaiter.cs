namespace Spate.Waiting;

/// <summary>
/// How one thread of a server sleeps until one of its sockets can be read or another thread wakes it. A wake-up is
/// never lost: one that comes before the sleep ends it at once. There is one signal per sleep, however many wake.
/// </summary>
internal abstract class ThreadWaiter : IDisposable
{
    private readonly Lock _lock = new();
    private int _isAsleep;
    private int _isWoken;
    private bool _disposed;

    /// <summary>Times the thread went to sleep.</summary>
    public long Sleeps { get; private set; }

    /// <summary>
    /// Sleeps until a socket is ready, <see cref="Wake"/> was called or the time is over (-1: never). The thread's own.
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

        // Full barriers: the caller looks after every sleep, and must not have looked before a wake-up is forgotten.
        Interlocked.Exchange(ref _isAsleep, 0);
        Interlocked.Exchange(ref _isWoken, 0);
    }

    /// <summary>Wakes the thread; any thread may call, at any time.</summary>
    public void Wake()
    {
        // Both are full barriers: either the sleeper sees that it was woken, or this sees that it sleeps.
        Interlocked.Exchange(ref _isWoken, 1);
        if (Interlocked.Exchange(ref _isAsleep, 0) == 0) return;
        lock (_lock)
        {
            // A signal that is late must not reach a descriptor that has become another file.
            if (!_disposed) Signal();
        }
    }

    /// <summary>After the thread's last sleep.</summary>
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

    /// <summary>Ends a <see cref="Wait"/> that is under way or the next one.</summary>
    protected abstract void Signal();

    protected abstract void Close();
}
