using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>
/// An eventfd that is readable from <see cref="Signal"/> until <see cref="Reset"/>. Any thread may use it.
/// </summary>
internal sealed unsafe class WakeDescriptor : IDisposable
{
    private readonly SafeFileHandle _handle;

    /// <exception cref="System.Net.Sockets.SocketException">No descriptor is free.</exception>
    public WakeDescriptor()
    {
        int descriptor = EventFd.eventfd(0, EventFd.EFD_CLOEXEC | EventFd.EFD_NONBLOCK);
        if (descriptor < 0) throw DescriptorLimit.FaultOf(Marshal.GetLastPInvokeError());
        _handle = new SafeFileHandle(descriptor, ownsHandle: true);
    }

    public int Number => (int)_handle.DangerousGetHandle();

    public void Signal()
    {
        ulong one = 1;

        // SAFETY: eight bytes on the stack, read during the call only (eventfd.2). If the counter is full, the write
        // fails, but the descriptor is readable already.
        Unistd.write(Number, &one, sizeof(ulong));
    }

    public void Reset()
    {
        ulong count;

        // SAFETY: eight bytes on the stack, written during the call only. Reading resets the counter.
        Unistd.read(Number, &count, sizeof(ulong));
    }

    /// <summary>
    /// Waits for <see cref="Signal"/>, then resets the descriptor. Returns false if the timeout (-1 waits forever) ends
    /// first.
    /// </summary>
    public bool Take(int timeoutMilliseconds)
    {
        pollfd entry = new() { fd = Number, events = Poll.POLLIN };

        // SAFETY: the pollfd is on the stack and used during the call only. A wait that ends with EINTR counts as
        // signalled.
        if (Poll.poll(&entry, 1, timeoutMilliseconds) == 0) return false;
        Reset();
        return true;
    }

    /// <summary>Closes the descriptor; called after its last use.</summary>
    public void Dispose() => _handle.Dispose();
}
