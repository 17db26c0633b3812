using System.Net.Sockets;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

/// <summary>
/// Receives from many sockets with few threads and few batches. Each thread calls
/// <see cref="Poll(ReceiveBatch, UdpPollCallback{TState}, TimeSpan)"/> in a loop with a batch of its own. The poller
/// receives from sockets that have datagrams, and calls the handler with each batch. Only one thread at a time handles
/// a socket, so the order of the socket's datagrams is kept; the next batch may be handled by another thread. Any
/// thread may add, remove and close sockets at any time. The poller uses one epoll instance on Linux, a completion port
/// on Windows, and callbacks of System.Net.Sockets on other systems.
/// </summary>
/// <typeparam name="TState">
/// The state that belongs to a socket, for instance its session. It is passed to <see cref="Add"/>.
/// </typeparam>
/// <example><code>
/// using var poller = new UdpPoller&lt;Session&gt;();
/// foreach (UdpSocket socket in sockets) poller.Add(socket, new Session());
/// using ReceiveBatch batch = sockets[0].CreateReceiveBatch();                     // one per thread
/// while (poller.Poll(batch, Handle) != PollStatus.Closed) { }
/// </code></example>
public sealed class UdpPoller<TState> : IDisposable
{
    // The most receives from one socket before other sockets get their turn. Without this limit, a socket that gets
    // datagrams faster than they are read would delay the other sockets.
    private const int MaxReceivesPerClaim = 8;

    private readonly PollSource _source;
    private volatile bool _disposed;

    /// <summary>Creates an empty poller.</summary>
    /// <exception cref="SocketException">
    /// The process has reached its limit of descriptors (<see cref="SocketError.TooManyOpenSockets"/>); the message
    /// gives the remedy.
    /// </exception>
    public UdpPoller()
        : this(new PollSource(EventSet.Create(isShared: true)))
    {
    }

    internal UdpPoller(PollSource source) => _source = source;

    /// <summary>
    /// Adds a socket: from now on the poller receives from it, and no other code should. Datagrams that already wait in
    /// the socket are received too. The caller still owns the socket and closes it. A closed socket is removed from the
    /// poller automatically.
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
    /// Removes the socket from the poller; the socket stays open. The handler may still run for the socket on another
    /// thread, if it has begun or is about to begin.
    /// </summary>
    /// <param name="socket">The socket. If the socket is not in this poller, the call does nothing.</param>
    /// <returns>Whether the socket was in this poller.</returns>
    public bool Remove(UdpSocket socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        return socket.LeavePoll(_source);
    }

    /// <inheritdoc cref="Poll(ReceiveBatch, UdpPollCallback{TState}, TimeSpan)"/>
    public PollStatus Poll(ReceiveBatch batch, UdpPollCallback<TState> callback) =>
        Poll(batch, callback, Timeout.InfiniteTimeSpan);

    /// <summary>
    /// Waits until sockets have datagrams, then receives from each of these sockets and calls the handler for each
    /// batch. Any number of threads may call this method, each with its own batch.
    /// </summary>
    /// <param name="batch">
    /// The batch of the calling thread, in use until this call returns; the handler can read it. A socket of the same
    /// backend must have made the batch. If any socket of the poller has <see cref="UdpSocket.CoalescedReceive"/>, the
    /// slots of the batch must have 65,535 bytes (the default). One receive from a socket fills at most the slots of
    /// the batch.
    /// </param>
    /// <param name="callback">
    /// Called on this thread. An exception of the handler is thrown from this method. No datagrams of the other sockets
    /// are lost then: the next call, on any thread, receives them.
    /// </param>
    /// <param name="timeout">
    /// The maximum wait, rounded up to whole milliseconds; <see cref="Timeout.InfiniteTimeSpan"/> waits forever. On
    /// systems other than Linux, a thread of the runtime or of the system reports sockets to the poller. So a poll
    /// without a wait can miss a datagram that has just arrived; a later poll reports it.
    /// </param>
    /// <returns>
    /// <see cref="PollStatus.Received"/> if the handler was called; <see cref="PollStatus.TimedOut"/> after the
    /// timeout; <see cref="PollStatus.Woken"/> after <see cref="Wake"/>; <see cref="PollStatus.Closed"/> once the
    /// poller is disposed.
    /// </returns>
    public PollStatus Poll(ReceiveBatch batch, UdpPollCallback<TState> callback, TimeSpan timeout)
    {
        ArgumentNullException.ThrowIfNull(batch);
        ArgumentNullException.ThrowIfNull(callback);
        var deadline = new Deadline(TimeProvider.System, UdpSocket.ToMilliseconds(timeout));
        batch.Slots.Use.Enter();
        try
        {
            PollThread thread = ThreadOf(batch);
            while (true)
            {
                int remainingMilliseconds = deadline.RemainingMilliseconds;
                int count = _source.Wait(thread, remainingMilliseconds);
                if (count == PollSource.Closed) return PollStatus.Closed;
                if (count == PollSource.Woken) return PollStatus.Woken;
                if (Serve(thread, count, batch, callback)) return PollStatus.Received;
                if (remainingMilliseconds == 0) return PollStatus.TimedOut;
            }
        }
        finally
        {
            batch.Slots.Leave();
        }
    }

    /// <summary>
    /// Ends one poll of every polling thread with <see cref="PollStatus.Woken"/>: the running poll of a thread that
    /// waits, otherwise the next poll of the thread. If a running poll receives datagrams, it returns
    /// <see cref="PollStatus.Received"/>, and the next poll is woken. Several wakes before that poll end only this one
    /// poll. A thread is known by its batch, so the first poll with a batch that is new to the poller reports earlier
    /// wakes too: no wake is lost for a thread that is about to begin. A batch that another poller has used meanwhile
    /// is new again, so a batch that alternates between pollers can report an old wake again. Use this method to make
    /// threads check something else, for instance whether they should end.
    /// </summary>
    public void Wake() => _source.Wake();

    /// <summary>
    /// Ends all polls with <see cref="PollStatus.Closed"/>. The method does not wait for handlers: handlers that
    /// have begun may still run on other threads when it returns. The sockets stay open and may join another poller. A
    /// handler may call this method.
    /// </summary>
    public void Dispose()
    {
        _disposed = true;

        // The source is disposed first, so that no further socket can join it.
        _source.Dispose();
        foreach (EventEntry entry in _source.All()) ((Entry)entry).Owner.LeavePoll(_source);
    }

    private PollThread ThreadOf(ReceiveBatch batch)
    {
        if (batch.PollThread is { } thread && ReferenceEquals(thread.Source, _source)) return thread;
        return batch.PollThread = new PollThread(_source);
    }

    private bool Serve(PollThread thread, int count, ReceiveBatch batch, UdpPollCallback<TState> callback)
    {
        bool any = false;
        int next = 0;
        for (int i = 0; i < count; i++) thread.Prefetched ^= ((Entry)thread.Entries[i]).Owner.Prefetch();
        try
        {
            while (next < count) any |= Receive((Entry)thread.Entries[next++], batch, callback);
        }
        finally
        {
            while (next < count) _source.Requeue((Entry)thread.Entries[next++]);
        }

        return any;
    }

    // Receives from one socket, whose entry this thread has claimed, and calls the handler. The claim always ends or is
    // passed on, also after an exception: otherwise the socket would never be reported again.
    private bool Receive(Entry entry, ReceiveBatch batch, UdpPollCallback<TState> callback)
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
                    Lend(batch, callback, entry);
                }

                if (isDrained)
                {
                    ended = entry.TryRelease();
                }
                else if (status == Receiver.RetryLater)
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

        if (ended) _source.Request(entry);
        return any;
    }

    private static void Lend(ReceiveBatch batch, UdpPollCallback<TState> callback, Entry entry)
    {
        batch.IsLent = true;
        batch.Slots.Use.Lend();
        try
        {
            callback(entry.Owner, batch, entry.State);
        }
        finally
        {
            batch.Slots.Use.TakeBack();
            batch.IsLent = false;
        }
    }

    private sealed class Entry(PollSource source, UdpSocket owner, TState state)
        : PollEntry(source, owner.PollDescriptor, owner.Context)
    {
        public UdpSocket Owner { get; } = owner;

        public TState State { get; } = state;
    }
}
