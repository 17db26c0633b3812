using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// The requests of the ring: the receive, the watch of the error queue, and the cancellation of both.
/// </summary>
internal sealed unsafe partial class MultishotReceive<TCalls>
{
    private void Register()
    {
        io_uring_buf_reg registration = new()
        {
            ring_addr = _buffers.Address,
            ring_entries = (uint)_buffers.EntryCount,
            bgid = ProvidedBuffers.GroupId,
        };
        int result = _ring.Register(IoUring.IORING_REGISTER_PBUF_RING, &registration, 1);
        if (result < 0) throw new UringRefusedException("registering buffers", -result);
    }

    private void Push()
    {
        if (_buffers.Count == 0)
        {
            _buffers.Grow();
            _buffers.Publish();
        }

        _ring.Push(new io_uring_sqe
        {
            opcode = IoUring.IORING_OP_RECVMSG,
            flags = IoUring.IOSQE_BUFFER_SELECT,
            ioprio = IoUring.IORING_RECV_MULTISHOT,
            fd = _context.Descriptor,
            addr = (ulong)Marshal.UnsafeAddrOfPinnedArrayElement(_header, 0),
            len = 1,
            user_data = ++_generation,
            buf_group = ProvidedBuffers.GroupId,
        });
        Volatile.Write(ref _isArmed, true);
    }

    private void PushCancel(ulong number) =>
        _ring.Push(new io_uring_sqe { opcode = IoUring.IORING_OP_ASYNC_CANCEL, addr = number });

    // Starts the watch, a poll request that reports entries in the error queue. A receive request gets the socket's
    // errors, but not the other entries of the error queue: time stamps, and sent datagrams that were too long. These
    // entries would fill the receive buffer. The watch reports only once, so that the error queue can be emptied before
    // the next watch.
    private void PushWatch()
    {
        _ring.Push(new io_uring_sqe
        {
            opcode = IoUring.IORING_OP_POLL_ADD,
            fd = _context.Descriptor,
            poll32_events = (uint)Poll.POLLERR,
            user_data = WatchNumber,
        });
        _isWatching = true;
    }

    // Processes the result of the watch, which has ended. A cancelled watch is started again: the kernel cancels a
    // watch, for example, when the thread that started it has ended. After any other error no watch is started again.
    private void EndWatch(int result)
    {
        _isWatching = false;
        _cannotWatch |= result is < 0 and not -Errno.ECANCELED;
        _hasQueuedErrors |= result > 0;
    }
}
