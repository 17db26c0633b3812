using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>An eventfd: readable from <see cref="Signal"/> until <see cref="Reset"/>. Any thread.</summary>
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

        // SAFETY: eight bytes on the stack, read during the call only (eventfd.2). If the counter is full, the
        // descriptor is readable already.
        Unistd.write(Number, &one, sizeof(ulong));
    }

    public void Reset()
    {
        ulong count;

        // SAFETY: as in Signal; reading resets the counter.
        Unistd.read(Number, &count, sizeof(ulong));
    }

    /// <summary>Waits for a signal and takes it; false if the timeout (-1: forever) ended first.</summary>
    public bool Take(int timeoutMilliseconds)
    {
        pollfd entry = new() { fd = Number, events = Poll.POLLIN };

        // SAFETY: on the stack, used during the call only. A wait that EINTR ends counts as signalled.
        if (Poll.poll(&entry, 1, timeoutMilliseconds) == 0) return false;
        Reset();
        return true;
    }

    /// <summary>After the last use.</summary>
    public void Dispose() => _handle.Dispose();
}
