using Spate.Interop.Linux;

namespace Spate.Serving.Steering;

/// <summary>
/// Waits until the kernel has finished with the datagrams that it is processing now. After <see cref="Wait"/>, every
/// datagram whose socket was chosen by an already replaced program is in the queue of that socket or was dropped. A
/// wait takes up to some tens of milliseconds.
/// </summary>
internal static class RcuGracePeriod
{
    private const int PauseMilliseconds = 50;

    public static void Wait()
    {
        // The kernel processes arriving datagrams in read-side critical sections of RCU, and replaces programs under
        // RCU. With this command, membarrier(2) waits until all sections that are running now have ended. If the call
        // is not possible, the thread pauses instead.
        bool hasWaited = OperatingSystem.IsLinux()
            && Membarrier.SYS_membarrier is { } number
            && Membarrier.Call(number, Membarrier.MEMBARRIER_CMD_GLOBAL, 0, 0) == 0;
        if (!hasWaited) Thread.Sleep(PauseMilliseconds);
    }
}
