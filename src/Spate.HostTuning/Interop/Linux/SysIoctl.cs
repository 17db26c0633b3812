using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>sys/ioctl.h</c>: requests to a descriptor.</summary>
internal static partial class SysIoctl
{
    /// <summary>Sends a request of ethtool(8), and takes the answer into the same buffer.</summary>
    /// <param name="socket">Any socket of the interface's network namespace.</param>
    /// <param name="request">The request with the interface's name.</param>
    /// <param name="buffer">The request to the driver, large enough for the answer.</param>
    /// <returns>
    /// Whether the driver accepts it. A request for features is accepted with a positive number where something of it
    /// could not be done (ETHTOOL_F_WISH).
    /// </returns>
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
    /// ioctl(2). The C function takes any number of arguments; on Linux these are passed as those of other functions.
    /// </summary>
    [LibraryImport("libc", SetLastError = true)]
    private static partial int ioctl(SafeFileHandle fd, nuint op, ref ifreq request);
}
