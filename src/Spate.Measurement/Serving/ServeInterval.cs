using System.Runtime.InteropServices;
using Spate.HostTuning.Usage;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Serving;

/// <summary>One interval of a server, as it is told while the run goes on.</summary>
/// <param name="Total">All threads together.</param>
/// <param name="Threads">Every thread, the one that receives for others first.</param>
/// <param name="KernelDrops">
/// What the kernel dropped in it because a socket was full; null where it does not tell.
/// </param>
public sealed record ServeInterval(
    IntervalReport Total, IReadOnlyList<ServeThreadInterval> Threads, long? KernelDrops)
{
    /// <summary>
    /// How many threads handled something in it.
    /// </summary>
    public int BusyThreadCount => Threads.Count(static thread => thread is { ShardIndex: >= 0, Datagrams: > 0 });
}

/// <summary>What one thread did in an interval.</summary>
/// <param name="ShardIndex">Its shard; -1 for the thread that receives for others.</param>
/// <param name="CpuIndex">The CPU it is tied to; null if it is free to move.</param>
/// <param name="Datagrams">Datagrams handled, or handed on.</param>
/// <param name="Calls">Calls that brought them.</param>
/// <param name="LeastPerCall">
/// The fewest that a call brought; null where none did, and for the thread that receives for others: the server tells
/// its fewest and most since the start alone.
/// </param>
/// <param name="MostPerCall">The most that a call brought; null as above.</param>
/// <param name="Usage">What it used in the interval.</param>
/// <param name="Sessions">Peers that it keeps a session for, as of now; null where it keeps none.</param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct ServeThreadInterval(
    int ShardIndex,
    int? CpuIndex,
    long Datagrams,
    long Calls,
    int? LeastPerCall,
    int? MostPerCall,
    ThreadUsage Usage,
    int? Sessions);
