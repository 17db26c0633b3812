using Spate.HostTuning.Reading.Usage;
using Spate.Serving;

namespace Spate.Cli.Bench.Servers;

/// <summary>Reads the CPU time of a server's threads from another thread.</summary>
internal static class ServerClock
{
    /// <summary>Null if the time of one thread cannot be read.</summary>
    public static long? ReadNanoseconds(UdpServer server)
    {
        long? sum = 0;
        foreach (UdpThreadStatistics thread in server.GetStatistics().Threads)
        {
            sum += ThreadMeter.ReadCpuNanoseconds(thread.SystemThreadId ?? 0);
        }

        return sum;
    }
}
