using Spate.Interop.Linux;

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
    /// Drops pending completions. Returns true once the request has ended, so that the kernel can no longer fill a
    /// buffer.
    /// </summary>
    public bool DropCompletions()
    {
        lock (_lock)
        {
            if (_isEnded) return true;
            FlushOverflow();
            while (_ring.TryTake(out io_uring_cqe completion))
            {
                if (Accept(completion) && HasBuffer(completion)) _buffers.ProvideAgain(IdOf(completion));
            }

            _buffers.Publish();
            _ring.PublishTaken();
            return !_isArmed && !_isWatching;
        }
    }

    /// <summary>Closes the ring; batches keep the buffers that they have received.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_isEnded) return;
            _isEnded = true;
            _ring.Dispose();
        }
    }

    private void PushCancel(ulong number) =>
        _ring.Push(new io_uring_sqe { opcode = IoUring.IORING_OP_ASYNC_CANCEL, addr = number });
}
