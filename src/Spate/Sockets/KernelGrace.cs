using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>
/// Waits until the kernel has finished what it had begun before: a datagram whose socket was chosen by an old program
/// is queued there, if not dropped, when this returns. Takes up to some tens of milliseconds.
/// </summary>
// SAFETY: the one call passes no pointer.
internal static unsafe class KernelGrace
{
    private const int MEMBARRIER_CMD_GLOBAL = 1;

    private const int PauseMilliseconds = 50;

    public static void Wait()
    {
        // Programs are replaced under RCU, and receiving runs inside a read side of it; membarrier(2) with this command
        // is synchronize_rcu. Where it cannot be asked for, a pause is the next best.
        bool hasWaited = OperatingSystem.IsLinux()
            && Syscall.SYS_membarrier is { } number
            && Syscall.Call2(number, MEMBARRIER_CMD_GLOBAL, null) == 0;
        if (!hasWaited) Thread.Sleep(PauseMilliseconds);
    }
}
