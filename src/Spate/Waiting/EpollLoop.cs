using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The one thread that all awaited calls of the process share on Linux. Sockets are registered once and armed with
/// EPOLLONESHOT only while somebody waits, so a socket that is read by other means costs this thread nothing (with
/// EPOLLET it would be woken for every datagram).
/// </summary>
internal sealed unsafe class EpollLoop : IDisposable
{
    private const int EventCountMax = 256;
    private const int LaterMilliseconds = 1;
    private const int SweepIntervalMin = 64;

    private static readonly TimeSpan LaterTime = TimeSpan.FromMilliseconds(LaterMilliseconds);
    private static readonly RetriedLazy<EpollLoop> LazyShared = new(static () => new EpollLoop(), static _ => true);

    private readonly EpollDescriptor _epoll = new();
    private readonly WakeDescriptor? _wake;
    private readonly Thread? _thread;
    private readonly ConcurrentDictionary<ulong, EpollRegistration> _registrations = new();
    private readonly ConcurrentQueue<EpollReadiness> _later = new();

    // A field, because a local would be dead after its address was taken, and the kernel would fill freed memory.
    private readonly byte[] _events = GC.AllocateArray<byte>(EventCountMax * Epoll.EventBytes, pinned: true);
    private long _lastId;
    private long _lastSweepId;
    private int _count;

    private EpollLoop()
    {
        try
        {
            _wake = new WakeDescriptor();
            _epoll.Control(Epoll.EPOLL_CTL_ADD, _wake.Number, Epoll.EPOLLIN, data: 0);
            _thread = new Thread(Run) { IsBackground = true, Name = "Spate readiness" };
            _thread.UnsafeStart();
        }
        catch
        {
            // Tried again at the next awaited call, so nothing may be left of this one.
            Dispose();
            throw;
        }
    }

    public static EpollLoop Shared => LazyShared.Value;

    /// <summary>Sockets that are registered, and forgotten ones that were not looked for yet. For tests.</summary>
    public int RegistrationCount => Volatile.Read(ref _count);

    public EpollRegistration Register(EpollReadiness readiness, int descriptor)
    {
        var registration = new EpollRegistration((ulong)Interlocked.Increment(ref _lastId), readiness);
        _registrations[registration.Id] = registration;
        long sweepInterval = Math.Max(SweepIntervalMin, Interlocked.Increment(ref _count) / 2);
        if ((long)registration.Id - Volatile.Read(ref _lastSweepId) >= sweepInterval) DropCollected(registration.Id);
        try
        {
            // Registered without events: nothing is reported until the first Arm but EPOLLERR and EPOLLHUP, once.
            _epoll.Control(Epoll.EPOLL_CTL_ADD, descriptor, Epoll.EPOLLONESHOT, registration.Id);
        }
        catch
        {
            TryRemove(registration.Id);
            throw;
        }

        return registration;
    }

    public void Arm(ulong id, int descriptor, uint events) =>
        _epoll.Control(Epoll.EPOLL_CTL_MOD, descriptor, events | Epoll.EPOLLONESHOT, id);

    public void Unregister(ulong id, int descriptor)
    {
        if (!TryRemove(id)) return;

        // A descriptor that was closed behind our back has left by itself, and Close must go on.
        _epoll.Forget(descriptor);
    }

    /// <summary>
    /// Calls it as if it were ready, within about a millisecond, and no more than once in one: what asks again each
    /// time, since the reason of a failure lasts, must not keep the thread busy.
    /// </summary>
    public void CallLater(EpollReadiness readiness)
    {
        _later.Enqueue(readiness);
        if (Thread.CurrentThread != _thread) _wake!.Signal();
    }

    /// <summary>Only of one that could not be started; the shared one lives as long as the process.</summary>
    public void Dispose()
    {
        _wake?.Dispose();
        _epoll.Dispose();
    }

    // Forgotten sockets have left the set by the closing of their descriptors (epoll.7), whose numbers may be other
    // files' by now. Looked for once in half as many registrations as there are, so it costs each next to nothing.
    private void DropCollected(ulong id)
    {
        Volatile.Write(ref _lastSweepId, (long)id);
        foreach (KeyValuePair<ulong, EpollRegistration> one in _registrations)
        {
            if (one.Value.Readiness is null) TryRemove(one.Key);
        }
    }

    private bool TryRemove(ulong id)
    {
        if (!_registrations.TryRemove(id, out _)) return false;
        Interlocked.Decrement(ref _count);
        return true;
    }

    private void Run()
    {
        // SAFETY: the array is pinned and lives as long as this object, which its thread keeps.
        void* pointer = (void*)Marshal.UnsafeAddrOfPinnedArrayElement(_events, 0);
        long calledTimestamp = 0;
        while (true)
        {
            int timeoutMilliseconds = _later.IsEmpty ? -1 : LaterMilliseconds;
            int count = _epoll.Wait(pointer, EventCountMax, timeoutMilliseconds);
            for (int i = 0; i < count; i++) Dispatch(Epoll.Read(pointer, i));
            if (_later.IsEmpty || Stopwatch.GetElapsedTime(calledTimestamp) < LaterTime) continue;
            CallDue();
            calledTimestamp = Stopwatch.GetTimestamp();
        }
    }

    private void Dispatch((uint Events, ulong Data) ready)
    {
        if (ready.Data == 0)
        {
            _wake!.Reset();
            return;
        }

        if (!_registrations.TryGetValue(ready.Data, out EpollRegistration? registration)) return;
        if (registration.Readiness is not { } readiness) return;
        ReadyEvents events = ReadyEvents.None;
        const uint always = Epoll.EPOLLERR | Epoll.EPOLLHUP;
        if ((ready.Events & (Epoll.EPOLLIN | Epoll.EPOLLRDHUP | always)) != 0) events |= ReadyEvents.Readable;
        if ((ready.Events & (Epoll.EPOLLOUT | always)) != 0) events |= ReadyEvents.Writable;
        readiness.OnReady(events);
    }

    private void CallDue()
    {
        for (int i = _later.Count; i > 0 && _later.TryDequeue(out EpollReadiness? readiness); i--)
            readiness.OnReady(ReadyEvents.Readable | ReadyEvents.Writable);
    }
}
