using System.Net.Sockets;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

/// <summary>
/// Receives from many sockets with few threads and few batches. Each thread calls
/// <see cref="Poll(ReceiveBatch, UdpPollHandler{TState}, TimeSpan)"/> in a loop with a batch of its own; the poller
/// receives from sockets that have something, and gives the handler each batch. One socket is handled by one thread at
/// a time, so its order is kept; another thread may handle it next. Sockets may be added, removed and closed at any
/// time by any thread. Linux: one epoll instance; elsewhere callbacks of System.Net.Sockets.
/// </summary>
/// <typeparam name="TState">
/// What the handler needs to know about a socket, for instance its session; it is given with <see cref="Add"/>.
/// </typeparam>
/// <example><code>
/// using var poller = new UdpPoller&lt;Session&gt;();
/// foreach (UdpSocket socket in sockets) poller.Add(socket, new Session());
/// using ReceiveBatch batch = sockets[0].CreateReceiveBatch();                     // one per thread
/// while (poller.Poll(batch, Handle) != ReceiveStatus.Closed) { }
/// </code></example>
public sealed class UdpPoller<TState> : IDisposable
{
    // A socket that is fed faster than it is read must not keep the others waiting.
    private const int MaxReceivesPerClaim = 8;

    private readonly PollSource _source;
    private volatile bool _disposed;

    /// <summary>An empty poller.</summary>
    /// <exception cref="SocketException">The process may have no more descriptors
    /// (<see cref="SocketError.TooManyOpenSockets"/>); the message says what to do.</exception>
    public UdpPoller()
        : this(PollSource.Create())
    {
    }

    internal UdpPoller(PollSource source) => _source = source;

    /// <summary>
    /// From now on the poller receives from the socket; nobody else should. Datagrams that wait already count. The
    /// socket stays the caller's to close, and leaves by itself when it is closed.
    /// </summary>
    /// <param name="socket">An open socket that is in no poller.</param>
    /// <param name="state">Given to the handler with the socket.</param>
    /// <exception cref="InvalidOperationException">The socket is in a poller already.</exception>
    /// <exception cref="ObjectDisposedException">The socket or the poller is closed.</exception>
    public void Add(UdpSocket socket, TState state)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ObjectDisposedException.ThrowIf(_disposed, this);
        socket.JoinPoll(new Entry(_source, socket, state));
    }

    /// <summary>
    /// Takes the socket out; it stays open. A handler that has begun, or is about to, may still run on another thread.
    /// </summary>
    /// <param name="socket">A socket; one that is not in this poller is left alone.</param>
    /// <returns>Whether it was in this poller.</returns>
    public bool Remove(UdpSocket socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        return socket.LeavePoll(_source);
    }

    /// <inheritdoc cref="Poll(ReceiveBatch, UdpPollHandler{TState}, TimeSpan)"/>
    public ReceiveStatus Poll(ReceiveBatch batch, UdpPollHandler<TState> handler) =>
        Poll(batch, handler, Timeout.InfiniteTimeSpan);

    /// <summary>
    /// Waits until some sockets have something, then receives from each and calls the handler for each batch. Any
    /// number of threads may call, each with its own batch.
    /// </summary>
    /// <param name="batch">
    /// The calling thread's batch, in use until this returns; the handler may read it. Made by a socket of the same
    /// backend; by one with <see cref="UdpSocket.CoalescedReceive"/> if any of the sockets has it. Its slots bound what
    /// one call takes from one socket.
    /// </param>
    /// <param name="handler">
    /// Called on this thread. What it throws is thrown here; nothing of the other sockets is lost by that, they come at
    /// the next call, of whichever thread.
    /// </param>
    /// <param name="timeout">
    /// The most to wait, in whole milliseconds; <see cref="Timeout.InfiniteTimeSpan"/> for ever.
    /// </param>
    /// <returns>
    /// <see cref="ReceiveStatus.Received"/> where the handler was called; <see cref="ReceiveStatus.TimedOut"/> after
    /// the time or <see cref="Wake"/>; <see cref="ReceiveStatus.Closed"/> once the poller is disposed.
    /// </returns>
    public ReceiveStatus Poll(ReceiveBatch batch, UdpPollHandler<TState> handler, TimeSpan timeout)
    {
        ArgumentNullException.ThrowIfNull(batch);
        ArgumentNullException.ThrowIfNull(handler);
        var deadline = new Deadline(TimeProvider.System, UdpSocket.ToMilliseconds(timeout));
        PollThread thread = ThreadOf(batch);
        batch.Slots.Use.Enter();
        try
        {
            while (true)
            {
                int remainingMilliseconds = deadline.RemainingMilliseconds;
                int count = _source.Wait(thread, remainingMilliseconds);
                if (count == PollSource.Closed) return ReceiveStatus.Closed;
                if (count == PollSource.Woken) return ReceiveStatus.TimedOut;
                if (Serve(thread, count, batch, handler)) return ReceiveStatus.Received;
                if (remainingMilliseconds == 0) return ReceiveStatus.TimedOut;
            }
        }
        finally
        {
            batch.Slots.Leave();
        }
    }

    /// <summary>
    /// Every thread that polls returns once with <see cref="ReceiveStatus.TimedOut"/>: at once where it waits,
    /// otherwise at its next call. To let threads look at something else, such as that they should end.
    /// </summary>
    public void Wake() => _source.Wake();

    /// <summary>
    /// Ends all polls with <see cref="ReceiveStatus.Closed"/> without waiting for them: handlers that have begun may
    /// still run on other threads when it returns. The sockets stay open and may join another poller. A handler may
    /// call it.
    /// </summary>
    public void Dispose()
    {
        _disposed = true;

        // First, so that none joins any more.
        _source.Dispose();
        foreach (PollEntry entry in _source.All()) ((Entry)entry).Owner.LeavePoll(_source);
    }

    private PollThread ThreadOf(ReceiveBatch batch)
    {
        if (batch.PollThread is { } thread && ReferenceEquals(thread.Source, _source)) return thread;
        return batch.PollThread = new PollThread(_source);
    }

    private bool Serve(PollThread thread, int count, ReceiveBatch batch, UdpPollHandler<TState> handler)
    {
        bool any = false;
        int next = 0;
        for (int i = 0; i < count; i++) thread.Prefetched ^= ((Entry)thread.Entries[i]).Owner.Prefetch();
        try
        {
            while (next < count) any |= Receive((Entry)thread.Entries[next++], batch, handler);
        }
        finally
        {
            while (next < count) _source.Requeue(thread.Entries[next++]);
        }

        return any;
    }

    // Whatever happens, the claim ends or is passed on: a socket whose claim is lost would never be reported again.
    private bool Receive(Entry entry, ReceiveBatch batch, UdpPollHandler<TState> handler)
    {
        bool any = false;
        bool ended = false;
        try
        {
            for (int i = 0; !ended && i < MaxReceivesPerClaim; i++)
            {
                bool isDrained = true;
                ReceiveStatus status = entry.HasLeft
                    ? ReceiveStatus.Closed
                    : entry.Owner.TryReceiveReady(batch, out isDrained);
                if (status == ReceiveStatus.Received)
                {
                    any = true;
                    Lend(batch, handler, entry);
                }

                if (isDrained)
                {
                    ended = entry.TryRelease();
                }
                else if (status == ReceiveStatus.TimedOut)
                {
                    ended = true;
                    _source.RetryLater(entry);
                    return any;
                }
            }
        }
        finally
        {
            if (!ended) _source.Requeue(entry);
        }

        if (ended) _source.Rearm(entry);
        return any;
    }

    private static void Lend(ReceiveBatch batch, UdpPollHandler<TState> handler, Entry entry)
    {
        batch.IsLent = true;
        batch.Slots.Use.Lend();
        try
        {
            handler(entry.Owner, batch, entry.State);
        }
        finally
        {
            batch.Slots.Use.TakeBack();
            batch.IsLent = false;
        }
    }

    private sealed class Entry(PollSource source, UdpSocket owner, TState state)
        : PollEntry(source, owner.Inner, owner.PollDescriptor)
    {
        public UdpSocket Owner { get; } = owner;

        public TState State { get; } = state;
    }
}
