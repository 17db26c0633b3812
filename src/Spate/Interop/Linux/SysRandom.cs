using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>sys/random.h</c>: random bytes of the kernel, without a library and without a descriptor.</summary>
internal static unsafe partial class SysRandom
{
    /// <summary>
    /// Fills the span with random bytes. False if a sandbox or a kernel before 3.17 refuses the call.
    /// </summary>
    public static bool TryFill(Span<byte> bytes)
    {
        fixed (byte* start = bytes)
        {
            for (int count = 0; count < bytes.Length;)
            {
                // SAFETY: the span is fixed for the call, and the bytes asked for end with it.
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
