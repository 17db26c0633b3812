using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace Spate.Interop;

/// <summary>Hints to the CPU about memory that is needed soon. A hint reads no value.</summary>
internal static class CacheLine
{
    /// <summary>
    /// Starts to load the cache line that contains <paramref name="place"/> into the cache. Does nothing on CPUs other
    /// than x64, because .NET has no such instruction for them.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Prefetch<T>(ref readonly T place)
    {
        if (!Sse.IsSupported) return;

        // SAFETY: PREFETCHT0 is a hint that reads nothing and never faults (Intel SDM, volume 2B), so it does not
        // matter if the garbage collector moves the object between taking the address and using it.
        unsafe
        {
            Sse.Prefetch0(Unsafe.AsPointer(ref Unsafe.AsRef(in place)));
        }
    }
}
