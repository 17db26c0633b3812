using System.Net.Sockets;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

/// <summary>
/// Receives from many sockets with few threads and few batches. Each thread calls
/// <see cref="Poll(ReceiveBatch, UdpPollHandler{TState}, TimeSpan)"/> in a loop with a batch of its own. The poller
/// receives from sockets that have datagrams, and calls the handler with each batch. A socket is handled by one thread
/// at a time, so the order of its datagrams is kept; another thread may handle it next. Sockets may be added, removed
/// and closed at any time by any thread. Linux: one epoll instance; elsewhere callbacks of System.Net.Sockets.
/// </summary>
/// <typeparam name="TState">
/// The state that belongs to a socket, for instance its session; passed to <see cref="Add"/>.
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

    /// <summary>Creates an empty poller.</summary>
    /// <exception cref="SocketException">
    /// The process has reached its limit of descriptors (<see cref="SocketError.TooManyOpenSockets"/>); the message
    /// gives the remedy.
    /// </exception>
    public UdpPoller()
        : this(PollSource.Create())
    {
    }

    internal UdpPoller(PollSource source) => _source = source;

    /// <summary>
    /// From now on the poller receives from the socket; nothing else should receive from it. Datagrams that are already
    /// waiting are received too. The caller still owns the socket and closes it; a closed socket leaves the poller by
    /// itself.
    /// </summary>
    /// <param name="socket">An open socket that is in no poller.</param>
    /// <param name="state">The state that is passed to the handler with the socket.</param>
    /// <exception cref="InvalidOperationException">The socket is in a poller already.</exception>
    /// <exception cref="ObjectDisposedException">The socket or the poller is closed.</exception>
    public void Add(UdpSocket socket, TState state)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ObjectDisposedException.ThrowIf(_disposed, this);
        socket.JoinPoll(new Entry(_source, socket, state));
    }

    /// <summary>
    /// Removes the socket, which stays open. A handler that has begun, or is about to, may still run on another thread.
    /// </summary>
    /// <param name="socket">The socket. A socket that is not in this poller is left alone.</param>
    /// <returns>Whether the socket was in this poller.</returns>
    public bool Remove(UdpSocket socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        return socket.LeavePoll(_source);
    }

    /// <inheritdoc cref="Poll(ReceiveBatch, UdpPollHandler{TState}, TimeSpan)"/>
    public ReceiveStatus Poll(ReceiveBatch batch, UdpPollHandler<TState> handler) =>
        Poll(batch, handler, Timeout.InfiniteTimeSpan);

    /// <summary>
    /// Waits until sockets have datagrams, then receives from each and calls the handler for each batch. Any number of
    /// threads may call, each with its own batch.
    /// </summary>
    /// <param name="batch">
    /// The calling thread's batch, in use until this call returns; the handler may read it. Made by a socket of the
    /// same backend, with <see cref="UdpSocket.CoalescedReceive"/> if any socket of the poller has it. The batch's
    /// slots limit how much one receive takes from one socket.
    /// </param>
    /// <param name="handler">
    /// Called on this thread. An exception of the handler is thrown here. It loses no datagrams of the other sockets:
    /// the next call, on any thread, receives them.
    /// </param>
    /// <param name="timeout">
    /// The maximum wait, in whole milliseconds; <see cref="Timeout.InfiniteTimeSpan"/> waits forever.
    /// </param>
    /// <returns>
    /// <see cref="ReceiveStatus.Received"/> if the handler was called; <see cref="ReceiveStatus.TimedOut"/> after the
    /// timeout or <see cref="Wake"/>; <see cref="ReceiveStatus.Closed"/> once the poller is disposed.
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
    /// Makes every polling thread return once with <see cref="ReceiveStatus.TimedOut"/>: at once if the thread waits,
    /// otherwise at its next call. Use it to make threads check something else, for instance whether they should end.
    /// </summary>
    public void Wake() => _source.Wake();

    /// <summary>
    /// Ends all polls with <see cref="ReceiveStatus.Closed"/> without waiting for them: handlers that have begun may
    /// still run on other threads when this call returns. The sockets stay open and may join another poller. A handler
    /// may call this method.
    /// </summary>
    public void Dispose()
    {
        _disposed = true;

        // First, so that no socket joins any more.
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
