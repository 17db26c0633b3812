using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Backends.Readiness;

/// <summary>
/// The one thread that all awaited calls of the process share on Linux. Sockets are registered once and armed with
/// EPOLLONESHOT only while somebody waits, so a socket that is read by other means costs this thread nothing (with
/// EPOLLET it would be woken for every datagram).
/// </summary>
internal sealed unsafe class EpollLoop : IDisposable
{
    private const int EventCountMax = 256;
    private const int LaterMilliseconds = 1;

    private static readonly RetriedLazy<EpollLoop> LazyShared = new(static () => new EpollLoop(), static _ => true);

    private readonly EpollDescriptor _epoll = new();
    private readonly WakeDescriptor? _wake;
    private readonly ConcurrentDictionary<ulong, EpollReadiness> _registrations = new();
    private readonly ConcurrentQueue<EpollReadiness> _later = new();

    // A field, because a local would be dead after its address was taken, and the kernel would fill freed memory.
    private readonly byte[] _events = GC.AllocateArray<byte>(EventCountMax * Epoll.EventBytes, pinned: true);
    private long _lastId;

    private EpollLoop()
    {
        try
        {
            _wake = new WakeDescriptor();
            _epoll.Control(Epoll.EPOLL_CTL_ADD, _wake.Number, Epoll.EPOLLIN, data: 0);
            new Thread(Run) { IsBackground = true, Name = "Spate readiness" }.UnsafeStart();
        }
        catch
        {
            // Tried again at the next awaited call, so nothing may be left of this one.
            Dispose();
            throw;
        }
    }

    public static EpollLoop Shared => LazyShared.Value;

    public ulong Register(EpollReadiness registration, int descriptor)
    {
        ulong id = (ulong)Interlocked.Increment(ref _lastId);
        _registrations[id] = registration;

        // Registered without events: nothing is reported until the first Arm but EPOLLERR and EPOLLHUP, once.
        _epoll.Control(Epoll.EPOLL_CTL_ADD, descriptor, Epoll.EPOLLONESHOT, id);
        return id;
    }

    public void Arm(ulong id, int descriptor, uint events) =>
        _epoll.Control(Epoll.EPOLL_CTL_MOD, descriptor, events | Epoll.EPOLLONESHOT, id);

    public void Unregister(ulong id, int descriptor)
    {
        if (!_registrations.TryRemove(id, out _)) return;

        // A descriptor that was closed behind our back has left by itself, and Close must go on.
        _epoll.Forget(descriptor);
    }

    public void CallLater(EpollReadiness registration)
    {
        _later.Enqueue(registration);
        _wake!.Signal();
    }

    /// <summary>Only of one that could not be started; the shared one lives as long as the process.</summary>
    public void Dispose()
    {
        _wake?.Dispose();
        _epoll.Dispose();
    }

    private void Run()
    {
        // SAFETY: the array is pinned and lives as long as this object, which its thread keeps.
        void* pointer = (void*)Marshal.UnsafeAddrOfPinnedArrayElement(_events, 0);
        while (true)
        {
            int timeoutMilliseconds = _later.IsEmpty ? -1 : LaterMilliseconds;
            int count = _epoll.Wait(pointer, EventCountMax, timeoutMilliseconds);
            for (int i = 0; i < count; i++) Dispatch(Epoll.Read(pointer, i));
            if (timeoutMilliseconds >= 0) CallDue();
        }
    }

    private void Dispatch((uint Events, ulong Data) ready)
    {
        if (ready.Data == 0)
        {
            _wake!.Reset();
            return;
        }

        if (!_registrations.TryGetValue(ready.Data, out EpollReadiness? registration)) return;
        ReadyEvents events = ReadyEvents.None;
        const uint always = Epoll.EPOLLERR | Epoll.EPOLLHUP;
        if ((ready.Events & (Epoll.EPOLLIN | Epoll.EPOLLRDHUP | always)) != 0) events |= ReadyEvents.Readable;
        if ((ready.Events & (Epoll.EPOLLOUT | always)) != 0) events |= ReadyEvents.Writable;
        registration.OnReady(events);
    }

    private void CallDue()
    {
        for (int i = _later.Count; i > 0 && _later.TryDequeue(out EpollReadiness? registration); i--)
            registration.OnReady(ReadyEvents.Readable | ReadyEvents.Writable);
    }
}
