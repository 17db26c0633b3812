using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// A ring's descriptor with all the memory that the kernel may touch through it, so that a forgotten socket's ring goes
/// before its buffers do.
/// </summary>
internal sealed unsafe class RingHandle : SafeHandleZeroOrMinusOneIsInvalid
{
    private readonly List<IDisposable> _mappings = [];
    private readonly List<object> _buffers = [];

    public RingHandle(int descriptor)
        : base(ownsHandle: true) => SetHandle(descriptor);

    public int Descriptor => (int)handle;

    /// <summary>What is unmapped once the ring is closed. It needs no finalizer: this one's frees it.</summary>
    public void Keep(IDisposable mapping) => _mappings.Add(mapping);

    /// <summary>Managed memory that must not be collected before the ring is closed.</summary>
    public void KeepBuffers(object buffers) => _buffers.Add(buffers);

    /// <inheritdoc/>
    protected override bool ReleaseHandle()
    {
        // Closing a ring only begins to end its requests (io_uring_cancelation.7). One of a ring that any thread may
        // run could fill a buffer meanwhile, so it is ended first; of a ring of one thread, whose thread is not in it,
        // nothing runs.
        io_uring_sync_cancel_reg all = new()
        {
            flags = IoUring.IORING_ASYNC_CANCEL_ANY | IoUring.IORING_ASYNC_CANCEL_ALL,
            fd = -1,
            timeout = new timespec { tv_sec = 1 },
        };

        // SAFETY: on the stack, read during the call only. Whatever it answers, the descriptor goes next.
        Syscall.Call4(
            Syscall.SYS_io_uring_register, handle, (nint)IoUring.IORING_REGISTER_SYNC_CANCEL, &all, 1);
        int result = Unistd.close((int)handle);
        foreach (IDisposable mapping in _mappings) mapping.Dispose();
        GC.KeepAlive(_buffers);
        return result == 0;
    }
}
