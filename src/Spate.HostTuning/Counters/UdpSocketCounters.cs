using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>What the kernel tells of one UDP socket, of any program; null where it does not tell.</summary>
/// <param name="Inode">Names the socket: a link <c>/proc/PID/fd/N</c> says <c>socket:[Inode]</c>.</param>
/// <param name="Port">0 for none.</param>
internal sealed record UdpSocketCounters(long Inode, int Port)
{
    /// <summary>Memory, more than the payloads. A difference has the later reading's.</summary>
    public long? ReceiveQueueBytes { get; init; }

    /// <summary>Memory: twice what was asked and granted, or <c>net.core.rmem_default</c> (socket(7)).</summary>
    public long? ReceiveBufferBytes { get; init; }

    /// <summary>Memory, with the queues below. A difference has the later reading's.</summary>
    public long? SendQueueBytes { get; init; }

    public long? SendBufferBytes { get; init; }

    /// <summary>Mostly for lack of room; also what its filter rejected. A coalesced buffer counts as one.</summary>
    public long? Drops { get; init; }

    public static UdpSocketCounters operator -(UdpSocketCounters later, UdpSocketCounters earlier) =>
        later.Inode == earlier.Inode
            ? later with { Drops = CounterDelta.Narrow(later.Drops, earlier.Drops) }
            : throw new ArgumentException(
                $"The counters are of two sockets, {earlier.Inode} and {later.Inode}: take both readings of one.",
                nameof(earlier));

    public static UdpSocketCounters Subtract(UdpSocketCounters later, UdpSocketCounters earlier) => later - earlier;
}
