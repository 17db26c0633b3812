using Spate.Serving;

namespace Spate.Hosting.Hosted;

/// <summary>Sums over the threads of a server.</summary>
internal static class ServerSum
{
    public static long DatagramsFaulted(this UdpServerStatistics statistics) =>
        statistics.Threads.Sum(thread => thread.DatagramsFaulted);

    public static long RepliesDropped(this UdpServerStatistics statistics) =>
        statistics.Threads.Sum(thread => thread.RepliesDropped);
}
