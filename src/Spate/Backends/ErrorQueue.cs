using Spate.Interop.Linux;

namespace Spate.Backends;

/// <summary>
/// The queue of errors that a Linux socket has once IP_RECVERR or a time stamp was asked for (ip.7): what lies in it
/// takes room of the receive buffer, and ends every poll at once.
/// </summary>
internal static unsafe class ErrorQueue
{
    /// <summary>What one call takes at most: more may come as fast as they are taken.</summary>
    public const int CountMax = 256;

    /// <summary>Takes out what is there and forgets it; elsewhere nothing is ever there.</summary>
    /// <returns>Whether anything was.</returns>
    public static bool Discard(int descriptor)
    {
        if (!OperatingSystem.IsLinux()) return false;
        int count = 0;
        while (count < CountMax)
        {
            // SAFETY: an empty header on the stack: nothing but the return value is asked for.
            msghdr message = default;
            if (SysSocket.recvmsg(descriptor, &message, SysSocket.MSG_ERRQUEUE | SysSocket.MSG_DONTWAIT) < 0) break;
            count++;
        }

        return count > 0;
    }
}
