using Spate.Waiting;

namespace Spate;

/// <summary>Being one of the many sockets of a poller.</summary>
public sealed partial class UdpSocket
{
    private PollEntry? _pollEntry;

    internal void JoinPoll(PollSource source, object? state)
    {
        ObjectDisposedException.ThrowIf(!_gate.TryEnter(), this);
        try
        {
            // Any object of the socket's own will do.
            lock (_calls)
            {
                if (_pollEntry is not null)
                {
                    throw new InvalidOperationException(
                        "The socket is in a poller already: take it out with Remove before adding it to another.");
                }

                PollEntry entry = new(source, this, state, PollDescriptor);
                source.Add(entry, _backend);
                _pollEntry = entry;
                _backend.PrepareToPoll();
            }
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>Whether the socket was there. False also where it is being closed, which takes it out.</summary>
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

    /// <summary>
    /// Reads what the next receive will need. Called for several sockets in a row: their misses in the processor's
    /// caches overlap then, while in the receives each would be waited for (with ten thousand sockets a fifth of the
    /// whole time).
    /// </summary>
    /// <returns>Something made of what was read, so that the reading is not left out.</returns>
    internal long Warm() => _gate.Peek() ^ _calls.Peek() ^ _context.Counters.Peek() ^ _backend.Peek();

    /// <summary>Takes what is there, with the turn that the poller has given.</summary>
    /// <param name="batch">The polling thread's.</param>
    /// <param name="isDrained">
    /// Whether an event will tell of more. False with TimedOut: a shortage that has no event.
    /// </param>
    internal ReceiveStatus TryReceiveReady(ReceiveBatch batch, out bool isDrained)
    {
        isDrained = true;
        if (batch.Backend != Backend || batch.SlotBytes < SlotBytesMax) CheckBatch(batch);
        if (!_gate.TryEnter()) return ReceiveStatus.Closed;
        try
        {
            return _calls.TryReceiveReady(batch, out isDrained);
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
        lock (_calls)
        {
            if (_pollEntry is not { } entry || (source is not null && entry.Source != source)) return false;
            _pollEntry = null;
            entry.Source.Remove(entry);
            return true;
        }
    }
}
