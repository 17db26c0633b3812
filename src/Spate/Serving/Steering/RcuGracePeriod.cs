using Spate.Interop.Linux;

namespace Spate.Serving.Steering;

/// <summary>
/// Waits until the kernel has finished with the datagrams that it is processing. When <see cref="Wait"/> returns, each
/// datagram whose socket an old program chose is queued there or was dropped. Takes up to some tens of milliseconds.
/// </summary>
internal static class RcuGracePeriod
{
    private const int PauseMilliseconds = 50;

    public static void Wait()
    {
        // The kernel receives inside a read side of RCU and replaces programs under RCU. With this command
        // membarrier(2) waits for the end of all read sides. If the call is not possible, a pause replaces it.
        bool hasWaited = OperatingSystem.IsLinux()
            && Membarrier.SYS_membarrier is { } number
            && Membarrier.Call(number, Membarrier.MEMBARRIER_CMD_GLOBAL, 0, 0) == 0;
        if (!hasWaited) Thread.Sleep(PauseMilliseconds);
    }
}
