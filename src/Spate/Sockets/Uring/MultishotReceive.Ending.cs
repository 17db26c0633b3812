using Spate.Interop.Linux;
using Spate.Messages;
using Spate.Segmentation;

namespace Spate.Sockets.Uring;

/// <summary>The end of the requests and of the ring.</summary>
internal sealed partial class MultishotReceive<TCalls>
{
    /// <summary>Asks the kernel to end the request and the watch; their last completions may arrive later.</summary>
    public void Cancel()
    {
        lock (_lock)
        {
            if ((!_isArmed && !_isWatching) || _isEnded) return;
            if (_isArmed) PushCancel(_generation);
            if (_isWatching) PushCancel(WatchNumber);
            _ring.Enter();
        }
    }

    /// <summary>
    /// Drops pending completions, and counts their datagrams as unread. Returns true once the request has ended, so
    /// that the kernel can no longer fill a buffer.
    /// </summary>
    public bool DropCompletions()
    {
        lock (_lock)
        {
            if (_isEnded) return true;
            FlushOverflow();
            DropLocked();
            return !_isArmed && !_isWatching;
        }
    }

    /// <summary>
    /// Closes the ring; batches keep the buffers that they have received. Completions that are still in the queue, of a
    /// ring of one thread that another thread closes, are dropped and counted.
    /// </summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_isEnded) return;
            try
            {
                DropLocked();
            }
            finally
            {
                _isEnded = true;
                _ring.Dispose();
            }
        }
    }

    private void DropLocked()
    {
        while (_ring.TryTake(out io_uring_cqe completion))
        {
            if (!Accept(completion) || !HasBuffer(completion)) continue;
            ushort id = IdOf(completion);
            int unread = DatagramCountOf(_buffers[id].Array.AsSpan(0, completion.res));
            if (unread > 0) _context.Counters.CountUnread(unread);
            _buffers.ProvideAgain(id);
        }

        _buffers.Publish();
        _ring.PublishTaken();
    }

    private int DatagramCountOf(ReadOnlySpan<byte> received)
    {
        if (!_layout.TryRead(received, out ReceivedMessage message) || IsWakeUp(message)) return 0;
        return GroSplitter.Count(message.PayloadBytes, ReceivedControl.SegmentBytes(message.Control));
    }

    private void PushCancel(ulong number) =>
        _ring.Push(new io_uring_sqe { opcode = IoUring.IORING_OP_ASYNC_CANCEL, addr = number });
}
