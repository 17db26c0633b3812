using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Spate.Sockets;

/// <summary>The upper halves of the vector registers, in front of system calls.</summary>
internal static class WideRegisters
{
    /// <summary>
    /// Called before, not in, the method that makes a system call. Whoever copies a struct of 32 bytes or more leaves
    /// the upper halves in use, and the runtime's helper at the start of every method with a system call is not
    /// VEX-encoded: its instructions then pay for the switch (.NET 10 on a Xeon of 2023: 140 to 250 ns of a receive of
    /// 710). The call here has no effect but that the JIT puts vzeroupper in front of it. Never inlined: code that
    /// asks what the processor can do cannot be compiled ahead of time, and neither could its callers be.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void Release()
    {
        if (Vector256.IsHardwareAccelerated) Marshal.SetLastSystemError(0);
    }
}
