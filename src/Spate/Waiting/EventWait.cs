using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;

namespace Spate.Waiting;

/// <summary>
/// Waits for an event handle of Windows by the system's own thread pool, which waits for many handles with few threads.
/// A wait ends once, takes an automatic event's signal, and reports to the set (<see cref="IReportSink.Report"/>).
/// Nothing is allocated for a wait. Several sets may wait for the same event.
/// </summary>
// SAFETY: the function gets a weak handle of this object, which is freed only when no call of the function runs any
// more. The wait is used under the lock alone, and not after its end. The event's handle is a duplicate, so that
// its owner may close the event while it is waited for: the documentation of SetThreadpoolWait forbids that otherwise.
internal sealed unsafe class EventWait : SafeHandle
{
    private readonly Lock _lock = new();
    private readonly IReportSink _set;
    private readonly EventEntry _entry;
    private readonly nint _event;
    private GCHandle _self;

    /// <param name="set">The set of the entry.</param>
    /// <param name="entry">An entry whose descriptor is the handle of an open event.</param>
    /// <exception cref="SocketException">The system refused.</exception>
    public EventWait(IReportSink set, EventEntry entry)
        : base(0, ownsHandle: true)
    {
        _set = set;
        _entry = entry;
        nint duplicate;
        int isDuplicated = HandleApi.DuplicateHandle(
            HandleApi.CurrentProcess, entry.Descriptor, HandleApi.CurrentProcess, &duplicate, 0, 0,
            HandleApi.SameAccess);
        if (isDuplicated == 0) throw new SocketException(Marshal.GetLastPInvokeError());
        _event = duplicate;

        // Weak, since a set that nobody refers to any more is collected together with its entries.
        _self = GCHandle.Alloc(this, GCHandleType.Weak);
        SetHandle(ThreadPoolApiSet.CreateThreadpoolWait(&OnReady, GCHandle.ToIntPtr(_self), null));
        if (!IsInvalid) return;
        int error = Marshal.GetLastPInvokeError();
        Free();
        throw new SocketException(error);
    }

    /// <inheritdoc/>
    public override bool IsInvalid => handle == 0;

    /// <summary>Waits for the event, once. Does nothing after the end.</summary>
    public void Start() => SetEvent(_event);

    /// <summary>Ends the running wait. A report that has begun may still come.</summary>
    public void Stop() => SetEvent(0);

    /// <summary>
    /// Signals the event again, for another set that waits for it. Called during a report, when this set is not waiting
    /// for the event.
    /// </summary>
    public void PassOn() => SynchApi.SetEvent(_event);

    /// <summary>
    /// Ends the wait for good, at <see cref="SafeHandle.Dispose()"/> or when nobody refers to the entry any more.
    /// When this method returns, no report comes any more. So the caller must have no lock that a report takes.
    /// </summary>
    protected override bool ReleaseHandle()
    {
        lock (_lock) ThreadPoolApiSet.SetThreadpoolWait(handle, 0, null);

        // Not under the lock, which other calls of a set take.
        ThreadPoolApiSet.WaitForThreadpoolWaitCallbacks(handle, cancelPending: 1);
        ThreadPoolApiSet.CloseThreadpoolWait(handle);

        // A report that was cancelled, or came after the entry was removed, has taken the event's signal. It belongs to
        // the other sets that wait for the event.
        PassOn();
        Free();
        return true;
    }

    private void SetEvent(nint awaited)
    {
        lock (_lock)
        {
            if (!IsClosed) ThreadPoolApiSet.SetThreadpoolWait(handle, awaited, null);
        }
    }

    private void Free()
    {
        _self.Free();
        HandleApi.CloseHandle(_event);
    }

    [UnmanagedCallersOnly]
    private static void OnReady(nint instance, nint context, nint wait, uint result)
    {
        if (GCHandle.FromIntPtr(context).Target is EventWait self) self._set.Report(self._entry, ReadyEvents.Readable);
    }
}
