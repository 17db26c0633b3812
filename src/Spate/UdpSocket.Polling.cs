using Spate.Buffers;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

// Waiting on several sockets at once, in a poller or in a thread of a server.
public sealed partial class UdpSocket
{
    private readonly Lock _pollLock = new();
    private PollEntry? _pollEntry;

    /// <summary>
    /// Creates a waiter, on which a thread sleeps until one of the sockets can be read or another thread wakes the
    /// waiter.
    /// </summary>
    /// <exception cref="System.Net.Sockets.SocketException">No descriptor is free.</exception>
    internal static ThreadWaiter CreateWaiter(IReadOnlyCollection<UdpSocket> sockets) => new(
        EventSet.Create(isShared: false),
        [.. sockets.Select(static socket => new EventEntry(socket.PollDescriptor, socket._context))]);

    /// <summary>
    /// Adds the socket to a poller, with this entry. Throws if the socket is in a poller already, is closed, or is
    /// connected and was opened with ReportPortUnreachable.
    /// </summary>
    internal void JoinPoll(PollEntry entry)
    {
        ObjectDisposedException.ThrowIf(!_gate.TryEnter(), this);
        try
        {
            if (_context.ReportsPortUnreachable)
            {
                throw new InvalidOperationException(
                    "The socket was opened with ReportPortUnreachable, whose exception would end the poll of all "
                    + "sockets: open it without, or with ReportIcmpErrors instead.");
            }

            lock (_pollLock)
            {
                if (_pollEntry is not null)
                {
                    throw new InvalidOperationException(
                        "The socket is in a poller already: take it out with Remove before adding it to another.");
                }

                _singles?.BeginBatches();
                entry.Source.Add(entry);

                // The kernel reports no event for datagrams that a single receive has left in the socket.
                if (_singles is { HasStaged: true }) entry.Source.ReportLater(entry);
                _pollEntry = entry;
                if (!_receiver.PrepareToWait()) entry.Source.ReportLater(entry);
            }
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Removes the socket from a poll source (the part of a poller that waits). Returns false if the socket is not in
    /// this source, or if the socket is being closed: closing removes the socket too.
    /// </summary>
    internal bool LeavePoll(PollSource source)
    {
        if (!_gate.TryEnter()) return false;
        try
        {
            return LeavePollCore(source);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <inheritdoc cref="Receiver.Prefetch"/>
    internal bool Prefetch() => _gate.IsClosed | _receiver.Prefetch();

    /// <summary>Receives without waiting. The calling thread has claimed the socket in its poller.</summary>
    /// <param name="batch">The batch of the polling thread.</param>
    /// <param name="isDrained">
    /// True if the socket is empty and an event will report the next datagram, or if the socket is closed. False if
    /// datagrams may still be queued, or with <see cref="Receiver.RetryLater"/>.
    /// </param>
    internal ReceiveStatus TryReceiveReady(ReceiveBatch batch, out bool isDrained)
    {
        isDrained = true;
        if (batch.Backend != Backend || batch.SlotBytes < MaxSlotBytes) CheckBatch(batch);
        if (!_gate.TryEnter()) return ReceiveStatus.Closed;
        try
        {
            // A receive that leaves slots of the batch unused has emptied the socket. On a socket that receives ICMP
            // errors this is not certain: an error also ends a receive, while datagrams may still be queued after the
            // error.
            ReceiveSlots slots = batch.Slots;
            if (_singles?.TryTakeStaged(slots) == true)
            {
                isDrained = false;
                return ReceiveStatus.Received;
            }

            ReceiveStatus status = _receiver.Receive(slots, 0);
            if (status == ReceiveStatus.Received)
            {
                isDrained = slots.UsedCount < slots.SlotCount
                    && _receiver.Traits.ShortMeansDrained && !_context.HearsOfIcmp
                    && (!_receiver.Traits.AnnouncesOnce || _receiver.PrepareToWait());
                return status;
            }

            // Nothing would announce the next datagram: the poller tries again a little later.
            if (_receiver.Traits.AnnouncesOnce && status == ReceiveStatus.TimedOut && !_receiver.PrepareToWait())
            {
                status = Receiver.RetryLater;
            }

            isDrained = status != Receiver.RetryLater;
            return status;
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Removes the socket from a poll source. Returns false if the socket is not in the source. Called inside the
    /// socket's call gate, or after the last call has left the gate.
    /// </summary>
    /// <param name="source">The poll source; null removes the socket from whichever source it is in.</param>
    private bool LeavePollCore(PollSource? source)
    {
        lock (_pollLock)
        {
            if (_pollEntry is not { } entry || (source is not null && entry.Source != source)) return false;
            _pollEntry = null;
            entry.Source.Remove(entry);
            return true;
        }
    }
}
