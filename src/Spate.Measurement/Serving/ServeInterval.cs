using System.Runtime.InteropServices;
using Spate.HostTuning.Usage;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Serving;

/// <summary>One interval of a server, reported while the run goes on.</summary>
/// <param name="Total">The figures of all threads together.</param>
/// <param name="Threads">Every thread, the one that receives for others first.</param>
/// <param name="KernelDrops">
/// What the kernel dropped in the interval because a socket was full; null where unknown.
/// </param>
public sealed record ServeInterval(
    IntervalReport Total, IReadOnlyList<ServeThreadInterval> Threads, long? KernelDrops)
{
    /// <summary>The number of threads that handled a datagram in the interval.</summary>
    public int BusyThreadCount => Threads.Count(static thread => thread is { ShardIndex: >= 0, Datagrams: > 0 });
}

/// <summary>What one thread did in an interval.</summary>
/// <param name="ShardIndex">Its shard; -1 for the thread that receives for others.</param>
/// <param name="CpuIndex">The CPU that the thread is tied to; null if it is free to move.</param>
/// <param name="Datagrams">Datagrams that the thread handled, or passed on to others.</param>
/// <param name="Calls">Calls that brought these datagrams.</param>
/// <param name="MinPerCall">
/// The fewest datagrams that a call brought; null where no call brought any. Also null for the thread that receives for
/// others: the server knows that thread's fewest and most only since the start.
/// </param>
/// <param name="MaxPerCall">
/// The most datagrams that a call brought; null where <paramref name="MinPerCall"/> is.
/// </param>
/// <param name="Usage">What the thread used in the interval.</param>
/// <param name="Sessions">Peers with a session at the end of the interval; null where the thread keeps none.</param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct ServeThreadInterval(
    int ShardIndex,
    int? CpuIndex,
    long Datagrams,
    long Calls,
    int? MinPerCall,
    int? MaxPerCall,
    ThreadUsage Usage,
    int? Sessions);
