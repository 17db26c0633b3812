using Spate.HostTuning.Usage;
using Spate.Serving;

namespace Spate.Measurement.Bench;

/// <summary>The CPU time of a server's threads, read from outside.</summary>
internal static class ServerClock
{
    /// <summary>What all threads of a server have used so far; null if one of them cannot be read.</summary>
    public static long? ReadNanoseconds(UdpServer server)
    {
        long? sum = 0;
        foreach (UdpThreadStatistics thread in server.GetStatistics().Threads)
        {
            sum += ThreadMeter.ReadCpuNanoseconds(thread.SystemThreadId);
        }

        return sum;
    }
}
