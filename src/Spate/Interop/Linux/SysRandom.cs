using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary>
/// <c>sys/random.h</c>: random bytes from the kernel, without another library and without a descriptor.
/// </summary>
internal static unsafe partial class SysRandom
{
    /// <summary>
    /// Fills the span with random bytes. Returns false if the call fails, because a sandbox refuses it or the kernel is
    /// older than 3.17.
    /// </summary>
    public static bool TryFill(Span<byte> bytes)
    {
        fixed (byte* start = bytes)
        {
            for (int count = 0; count < bytes.Length;)
            {
                // SAFETY: the span is fixed during the call, and the requested bytes do not go beyond the span.
                nint got = getrandom(start + count, (nuint)(bytes.Length - count), flags: 0);
                if (got >= 0) count += (int)got;
                else if (Marshal.GetLastPInvokeError() != Errno.EINTR) return false;
            }
        }

        return true;
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial nint getrandom(void* buf, nuint buflen, uint flags);
}
