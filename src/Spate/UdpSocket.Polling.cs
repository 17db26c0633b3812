using Spate.Buffers;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

// Waiting for several sockets at once, by a poller or by a thread of a server.
public sealed partial class UdpSocket
{
    private readonly Lock _pollLock = new();
    private PollEntry? _pollEntry;

    /// <summary>
    /// How a thread that receives from some sockets sleeps until one of them can be read or another thread wakes it.
    /// </summary>
    /// <exception cref="System.Net.Sockets.SocketException">No descriptor is free.</exception>
    internal static ThreadWaiter CreateWaiter(IReadOnlyCollection<UdpSocket> sockets) => OperatingSystem.IsLinux()
        ? new EpollWaiter([.. sockets.Select(socket => (socket.PollDescriptor, socket._receiver.Traits.PollsByEdge))])
        : new SelectWaiter(sockets.Select(socket => socket._context.Socket));

    /// <summary>Adds the socket, which has no entry yet, to the entry's source.</summary>
    internal void JoinPoll(PollEntry entry)
    {
        ObjectDisposedException.ThrowIf(!_gate.TryEnter(), this);
        try
        {
            if (_context.ReportsPortUnreachable)
            {
                throw new InvalidOperationException(
                    "The socket was opened with ReportPortUnreachable, whose exception would end the poll of all "
                    + "sockets: open it without, or with IcmpErrors instead.");
            }

            lock (_pollLock)
            {
                if (_pollEntry is not null)
                {
                    throw new InvalidOperationException(
                        "The socket is in a poller already: take it out with Remove before adding it to another.");
                }

                entry.Source.Add(entry);
                _pollEntry = entry;
                _receiver.PrepareToWait();
            }
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Takes the socket out of a source. False if the source does not have the socket, or if the socket is being
    /// closed, which takes it out too.
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

    /// <summary>Receives without waiting, on a thread that has claimed the socket in its poller.</summary>
    /// <param name="batch">The batch of the polling thread.</param>
    /// <param name="isDrained">
    /// Whether an event will report further datagrams. False with TimedOut: a shortage that has no event.
    /// </param>
    internal ReceiveStatus TryReceiveReady(ReceiveBatch batch, out bool isDrained)
    {
        isDrained = true;
        if (batch.Backend != Backend || batch.SlotBytes < MaxSlotBytes) CheckBatch(batch);
        if (!_gate.TryEnter()) return ReceiveStatus.Closed;
        try
        {
            // A call that leaves slots unused has emptied the socket. This is not certain on a socket that receives
            // ICMP errors: an error ends a call too, with datagrams still queued after it.
            ReceiveSlots slots = batch.Slots;
            ReceiveStatus status = _receiver.Receive(slots, 0);
            if (status == ReceiveStatus.Received)
            {
                isDrained = !slots.WasCopied && slots.UsedCount < slots.SlotCount
                    && _receiver.Traits.ShortMeansDrained && !_context.HearsOfIcmp;
                return status;
            }

            isDrained = status == ReceiveStatus.Closed || !_context.RetryReceiveLater;
            _context.RetryReceiveLater = false;
            return status;
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>Inside the gate, or after it has emptied.</summary>
    /// <param name="source">The poller's; null for whichever.</param>
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
