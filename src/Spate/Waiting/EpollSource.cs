using Spate.Interop.Linux;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// Linux: one epoll instance. Edge-triggered, so that a socket is reported once for what it has, to one thread, and the
/// kernel need not look at it again in the next call; a reader that gets less than it asked for has met the end
/// (epoll.7), so no call is spent on an empty socket.
/// </summary>
internal sealed unsafe class EpollSource : PollSource
{
    private const int WakeId = 0;

    private readonly EpollDescriptor _epoll = new();
    private readonly WakeDescriptor? _wake;
    private readonly CallGate _gate = new();

    public EpollSource()
    {
        try
        {
            _wake = new WakeDescriptor();
            _epoll.Control(Epoll.EPOLL_CTL_ADD, _wake.Number, Epoll.EPOLLIN, WakeId);
        }
        catch
        {
            CloseDescriptors();
            throw;
        }
    }

    /// <inheritdoc/>
    public override void Add(PollEntry entry, DatagramBackend backend)
    {
        ObjectDisposedException.ThrowIf(!_gate.TryEnter(), this);
        try
        {
            // Before the kernel knows it: an event may come at once.
            Entries.Add(entry);
            _epoll.Control(Epoll.EPOLL_CTL_ADD, entry.Descriptor, Epoll.EPOLLIN | Epoll.EPOLLET, entry.Id);
        }
        catch
        {
            Entries.Remove(entry);
            throw;
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <inheritdoc/>
    protected override void RemoveCore(PollEntry entry)
    {
        Entries.Remove(entry);
        if (!_gate.TryEnter()) return;
        _epoll.Forget(entry.Descriptor);
        _gate.Leave();
    }

    /// <inheritdoc/>
    protected override int WaitCore(PollEntry[] entries, int first, int timeoutMilliseconds)
    {
        if (!_gate.TryEnter()) return 0;
        byte* events = stackalloc byte[EpollDescriptor.EventBytesMax * PollSeat.EntryCountMax];
        int count;
        try
        {
            if (HasReady) timeoutMilliseconds = 0;

            // SAFETY: there is room for as many events as are asked for, on this thread's stack.
            count = _epoll.Wait(events, entries.Length - first, timeoutMilliseconds);
        }
        finally
        {
            _gate.Leave();
        }

        int found = first;
        for (int i = 0; i < count; i++)
        {
            ulong id = Epoll.Read(events, i).Data;
            if (id == WakeId) ResetUnlessNeeded();
            else if (Entries.Find(id) is { } entry) entries[found++] = entry;
        }

        // After all were looked up: the look-ups wait for memory together, an interlocked operation for itself.
        int next = first;
        for (int i = first; i < found; i++)
        {
            if (entries[i].TryBegin()) entries[next++] = entries[i];
        }

        return next - first;
    }

    /// <inheritdoc/>
    protected override void Signal()
    {
        if (!_gate.TryEnter()) return;
        _wake!.Signal();
        _gate.Leave();
    }

    /// <inheritdoc/>
    protected override void EndSignal()
    {
        if (!_gate.TryEnter()) return;
        _wake!.Reset();
        _gate.Leave();
    }

    /// <inheritdoc/>
    protected override void DisposeCore()
    {
        const int patienceMilliseconds = 100;
        _gate.Close();
        while (!_gate.WaitEmpty(patienceMilliseconds))
        {
            // The counter stays above 0 from Wake on, and it is reported as long as it is: everybody comes out.
        }

        CloseDescriptors();
    }

    // Level-triggered: it stays up until the last thread that is to return has seen it. A mere PutBack needs one.
    private void ResetUnlessNeeded()
    {
        lock (SyncRoot)
        {
            if (!HasStale) EndSignal();
        }
    }

    private void CloseDescriptors()
    {
        _wake?.Dispose();
        _epoll.Dispose();
    }
}
