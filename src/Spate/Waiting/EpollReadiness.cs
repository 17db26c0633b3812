using System.Runtime.CompilerServices;
using Spate.Interop.Linux;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// Readiness on Linux. All awaited calls of the process share one epoll set and one thread. A descriptor is registered
/// once, and is armed with EPOLLONESHOT only while calls wait for it. So datagrams that no awaited call receives do not
/// wake the thread; with EPOLLET every datagram would wake it. Readiness for reading and for writing may come from
/// different descriptors: those of a ring and of the socket.
/// </summary>
internal sealed class EpollReadiness : SocketReadiness
{
    private readonly Lock _lock = new();
    private readonly Func<bool>? _prepareToRead;
    private readonly Action<ReadyEvents> _ready;
    private readonly EpollThread _thread;
    private readonly EpollRegistration _reads;
    private readonly EpollRegistration _writes;
    private bool _disposed;

    /// <param name="readDescriptor">The descriptor that becomes readable when something can be received.</param>
    /// <param name="writeDescriptor">
    /// The descriptor that becomes writable when something can be sent. It may be the same as
    /// <paramref name="readDescriptor"/>.
    /// </param>
    /// <param name="prepareToRead">
    /// Called before each wait for reading. If it returns false, no event will come, so the callback runs about a
    /// millisecond later instead. Null if nothing has to be prepared.
    /// </param>
    /// <param name="ready">The callback, which runs on the shared thread.</param>
    public EpollReadiness(
        int readDescriptor, int writeDescriptor, Func<bool>? prepareToRead, Action<ReadyEvents> ready)
    {
        _prepareToRead = prepareToRead;
        _ready = ready;
        _thread = EpollThread.Shared;
        _reads = new EpollRegistration(readDescriptor, this);
        _writes = writeDescriptor == readDescriptor ? _reads : new EpollRegistration(writeDescriptor, this);
        _thread.Register(_reads);
        try
        {
            if (_writes != _reads) _thread.Register(_writes);
        }
        catch
        {
            _thread.Set.Remove(_reads);
            throw;
        }
    }

    /// <inheritdoc/>
    public override void Request(ReadyEvents events)
    {
        // _prepareToRead may read memory that the socket frees when it is closed, so Dispose waits for this lock.
        lock (_lock)
        {
            if (_disposed) return;
            if ((events & ReadyEvents.Readable) != ReadyEvents.None)
            {
                if (_prepareToRead is null || _prepareToRead()) Arm(_reads, Epoll.EPOLLIN);
                else RequestLater(events);
            }

            if ((events & ReadyEvents.Writable) != ReadyEvents.None) Arm(_writes, Epoll.EPOLLOUT);
        }
    }

    /// <inheritdoc/>
    public override void RequestLater(ReadyEvents events) => _thread.CallLater(_reads);

    /// <inheritdoc/>
    public override void KeepAlive(bool hasWaiting) => _reads.Kept = hasWaiting ? this : null;

    /// <inheritdoc/>
    public override void Dispose()
    {
        lock (_lock)
        {
            if (_disposed) return;
            _disposed = true;
            _thread.Set.Remove(_reads);
            if (_writes != _reads) _thread.Set.Remove(_writes);
        }
    }

    /// <summary>
    /// Calls the callback, on the shared thread, with the events that the kernel has reported. The report has disarmed
    /// the descriptor, so the callback must request again the events that it still waits for.
    /// </summary>
    internal void OnReady(EpollRegistration registration, uint happened)
    {
        lock (_lock)
        {
            if (_disposed) return;
            registration.Requested = 0;
        }

        ReadyEvents events = ReadyEvents.None;
        const uint always = Epoll.EPOLLERR | Epoll.EPOLLHUP;
        if ((happened & (Epoll.EPOLLIN | Epoll.EPOLLRDHUP | always)) != 0) events |= ReadyEvents.Readable;
        if ((happened & (Epoll.EPOLLOUT | always)) != 0) events |= ReadyEvents.Writable;
        _ready(events);
    }

    private void Arm(EpollRegistration registration, uint events)
    {
        registration.Requested |= events;
        _thread.Set.Change(registration, registration.Requested | Epoll.EPOLLONESHOT);
    }
}

/// <summary>
/// A descriptor in the shared set. The set lives as long as the process, so the registration references its owner only
/// weakly: a socket that nobody references any more is collected and closed. While calls wait, the reference is strong.
/// </summary>
internal sealed class EpollRegistration(int descriptor, EpollReadiness owner) : EpollEntry(descriptor)
{
    private readonly WeakReference<EpollReadiness> _owner = new(owner);
    private volatile EpollReadiness? _kept;

    /// <summary>The readiness that made the registration; null after that readiness was collected.</summary>
    public EpollReadiness? Owner => _kept ?? (_owner.TryGetTarget(out EpollReadiness? owner) ? owner : null);

    /// <summary>Set to the owner while it must not be collected, otherwise to null.</summary>
    public EpollReadiness? Kept
    {
        set => _kept = value;
    }

    /// <summary>The events that were requested and not reported yet. Accessed under the owner's lock.</summary>
    public uint Requested { get; set; }
}

/// <summary>The one thread that waits for all awaited calls of the process.</summary>
internal sealed class EpollThread
{
    public const string Name = "Spate readiness";

    private const int MaxEventsPerWait = 256;
    private const int MinSweepInterval = 64;

    private static EpollThread? _shared;
    private static object? _sharedLock;

    private readonly Thread _thread;
    private int _addedCount;

    private EpollThread()
    {
        try
        {
            _thread = new Thread(Run) { IsBackground = true, Name = Name };
            _thread.UnsafeStart();
        }
        catch
        {
            // The next awaited call tries again with a new object, so this object must leave no open descriptor.
            Set.Dispose();
            throw;
        }
    }

    public static EpollThread Shared =>
        LazyInitializer.EnsureInitialized(ref _shared, ref _sharedLock, static () => new EpollThread());

    public EpollSet<EpollRegistration> Set { get; } = new(isShared: false);

    public void Register(EpollRegistration registration)
    {
        int sweepInterval = Math.Max(MinSweepInterval, Set.Count / 2);
        if (Interlocked.Increment(ref _addedCount) >= sweepInterval) ForgetCollected();

        // Registers no events: until the first request the kernel reports only EPOLLERR and EPOLLHUP, and only once.
        Set.Add(registration, Epoll.EPOLLONESHOT);
    }

    public void CallLater(EpollRegistration registration)
    {
        Set.AddLater(registration);
        if (Thread.CurrentThread != _thread) Set.Signal();
    }

    // Removes the registrations of collected sockets. Runs once per Count / 2 (at least 64) new registrations, so its
    // cost per registration is small.
    private void ForgetCollected()
    {
        Volatile.Write(ref _addedCount, 0);
        foreach (EpollRegistration registration in Set.All())
        {
            if (registration.Owner is null) Set.Forget(registration);
        }
    }

    private void Run()
    {
        var ready = new EpollRegistration[MaxEventsPerWait];
        uint[] events = new uint[MaxEventsPerWait];
        while (true)
        {
            int count = Set.Wait(ready, events, timeoutMilliseconds: -1, out _);
            for (int i = 0; i < count; i++) Dispatch(ready[i], events[i]);
        }
    }

    // A separate method, because a local of the waiting method could keep a socket from being collected.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Dispatch(EpollRegistration registration, uint events) =>
        registration.Owner?.OnReady(registration, events);
}
