using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// A ring's descriptor, and all the memory that the kernel may access through it. If a socket is never closed, the
/// finalizer of this handle closes the ring first and then frees the memory.
/// </summary>
internal sealed unsafe class RingHandle : SafeHandleZeroOrMinusOneIsInvalid
{
    private readonly List<IDisposable> _mappings = [];
    private readonly List<object> _buffers = [];

    public RingHandle(int descriptor)
        : base(ownsHandle: true) => SetHandle(descriptor);

    public int Descriptor => (int)handle;

    /// <summary>
    /// Keeps memory, and disposes it once the ring is closed. The memory needs no finalizer of its own: the finalizer
    /// of this handle frees it.
    /// </summary>
    public void Keep(IDisposable mapping) => _mappings.Add(mapping);

    /// <summary>Keeps managed memory from being collected before the ring is closed.</summary>
    public void KeepBuffers(object buffers) => _buffers.Add(buffers);

    /// <inheritdoc/>
    protected override bool ReleaseHandle()
    {
        // Ends all requests before the close, because closing a ring only begins to end them (io_uring_cancelation.7).
        // In a ring that any thread may enter, a request could still fill a buffer after the close. In a ring of one
        // thread no request runs, since that thread is not in the ring.
        io_uring_sync_cancel_reg all = new()
        {
            flags = IoUring.IORING_ASYNC_CANCEL_ANY | IoUring.IORING_ASYNC_CANCEL_ALL,
            fd = -1,
            timeout = new timespec { tv_sec = 1 },
        };

        // SAFETY: the argument is on the stack and read during the call only. The descriptor is closed next, whatever
        // the result.
        Syscall.Call4(
            Syscall.SYS_io_uring_register, handle, (nint)IoUring.IORING_REGISTER_SYNC_CANCEL, &all, 1);
        int result = Unistd.close((int)handle);
        foreach (IDisposable mapping in _mappings) mapping.Dispose();
        GC.KeepAlive(_buffers);
        return result == 0;
    }
}
