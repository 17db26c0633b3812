using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>sys/ioctl.h</c>: requests to a descriptor.</summary>
internal static partial class SysIoctl
{
    /// <summary>
    /// The answer comes into the same buffer, which must have room for it. <c>socket</c>: any of the interface's
    /// network namespace. A request for features is accepted with a positive number where something of it could not be
    /// done (ETHTOOL_F_WISH).
    /// </summary>
    public static unsafe bool Ask(SafeFileHandle socket, ref ifreq request, Span<byte> buffer)
    {
        // SAFETY: the buffer is pinned for the call, and the kernel keeps no pointer to it. The kernel writes as much
        // as the request's own length fields ask for, which the callers take from the buffer's length.
        fixed (byte* data = buffer)
        {
            request.ifr_data = (nint)data;
            return ioctl(socket, SockIos.SIOCETHTOOL, ref request) >= 0;
        }
    }

    /// <summary>
    /// ioctl(2). The C function is variadic; Linux passes these arguments as those of other functions.
    /// </summary>
    [LibraryImport("libc", SetLastError = true)]
    private static partial int ioctl(SafeFileHandle fd, nuint op, ref ifreq request);
}
