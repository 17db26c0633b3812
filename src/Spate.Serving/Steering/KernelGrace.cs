using Spate.Serving.Interop.Linux;

namespace Spate.Serving.Steering;

/// <summary>
/// Waits until the kernel has finished what it had begun before. When <see cref="Wait"/> returns, a datagram whose
/// socket was chosen by an old program is queued there, or was dropped. Takes up to some tens of milliseconds.
/// </summary>
internal static class KernelGrace
{
    private const int PauseMilliseconds = 50;

    public static void Wait()
    {
        // Programs are replaced under RCU, and the kernel receives inside a read side of it. With this command
        // membarrier(2) is synchronize_rcu. Where it cannot be called, a pause is the next best.
        bool hasWaited = OperatingSystem.IsLinux()
            && Membarrier.SYS_membarrier is { } number
            && Membarrier.Call(number, Membarrier.MEMBARRIER_CMD_GLOBAL, 0, 0) == 0;
        if (!hasWaited) Thread.Sleep(PauseMilliseconds);
    }
}
