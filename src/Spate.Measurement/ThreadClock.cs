using Microsoft.Win32.SafeHandles;
using Spate.Serving;

namespace Spate.Measurement;

/// <summary>
/// CPU time of a thread of this process that is known by the system's number, read from outside. Linux only (proc(5):
/// /proc/self/task).
/// </summary>
internal static class ThreadClock
{
    private const int FileBytesMost = 256;

    /// <summary>What the thread has used so far; null where the system does not tell, or it has ended.</summary>
    /// <param name="systemThreadId">As <see cref="UdpThreadStatistics.SystemThreadId"/>.</param>
    public static long? ReadNanoseconds(int systemThreadId)
    {
        using SafeFileHandle? file = ProcFile.TryOpen($"/proc/self/task/{systemThreadId}/schedstat");
        return ProcFile.NumberAt(ProcFile.Read(file, stackalloc byte[FileBytesMost]), 0);
    }

    /// <summary>What all threads of a server have used so far; null if one cannot be read.</summary>
    public static long? ReadNanoseconds(UdpServer server)
    {
        long? sum = 0;
        foreach (UdpThreadStatistics thread in server.GetStatistics().Threads)
        {
            sum += ReadNanoseconds(thread.SystemThreadId);
        }
        return sum;
    }
}
