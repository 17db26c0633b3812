using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Spate.TestHelpers.Networks;

/// <summary>Takes privileges from one thread of the tests: capabilities belong to threads (capabilities(7)).</summary>
internal static partial class ThreadCapabilities
{
    // linux/capability.h: a header of version and thread (0 is the caller), then twice 32 bits of the sets effective,
    // permitted and inheritable.
    private const int Version3 = 0x20080522;
    private const int SetCount = 3;
    private const int NetAdmin = 12;

    /// <summary>
    /// Takes CAP_NET_ADMIN from the calling thread, and so from those that it starts: it is then as limited in its
    /// buffers as a user. There is no way back.
    /// </summary>
    public static void DropNetAdmin()
    {
        int[] header = [Version3, 0];
        uint[] sets = new uint[2 * SetCount];
        Check(capget(header, sets));
        for (int i = 0; i < SetCount; i++) sets[i] &= ~(1u << NetAdmin);
        Check(capset(header, sets));
    }

    private static void Check(int result)
    {
        if (result != 0) throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int capget(int[] header, [Out] uint[] sets);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int capset(int[] header, uint[] sets);
}
