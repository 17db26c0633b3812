using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>
/// What the kernel tells of one UDP socket, of any program. A program that has the socket itself gets the same of
/// <see cref="UdpSocket.GetCounters"/> at less cost. Null where the kernel does not tell.
/// </summary>
/// <param name="Inode">
/// The number that names the socket: a link <c>/proc/PID/fd/N</c> says <c>socket:[Inode]</c>.
/// </param>
/// <param name="Port">The port that it is bound to; 0 for none.</param>
internal sealed record UdpSocketCounters(long Inode, int Port)
{
    /// <summary>
    /// What waits in the receive buffer now, in bytes of memory, which are more than those of the payloads. A
    /// difference of two readings has the later one's.
    /// </summary>
    public long? ReceiveQueueBytes { get; init; }

    /// <summary>
    /// The receive buffer in bytes of memory: twice what the program asked for, as far as that was granted, or
    /// <c>net.core.rmem_default</c> (socket(7)). A difference of two readings has the later one's.
    /// </summary>
    public long? ReceiveBufferBytes { get; init; }

    /// <summary>
    /// What waits in the send buffer and in the queues below it now, in bytes of memory. A difference of two readings
    /// has the later one's.
    /// </summary>
    public long? SendQueueBytes { get; init; }

    /// <summary>The send buffer, likewise.</summary>
    public long? SendBufferBytes { get; init; }

    /// <summary>
    /// Datagrams that the socket dropped, above all for lack of room in the receive buffer; what its filter rejected
    /// counts too. A socket with coalesced receive counts coalesced buffers.
    /// </summary>
    public long? Drops { get; init; }

    /// <summary>What was counted between two readings; null where either is unknown.</summary>
    public static UdpSocketCounters operator -(UdpSocketCounters later, UdpSocketCounters earlier) =>
        later.Inode == earlier.Inode
            ? later with { Drops = CounterDelta.Narrow(later.Drops, earlier.Drops) }
            : throw new ArgumentException(
                $"The counters are of two sockets, {earlier.Inode} and {later.Inode}: take both readings of one.",
                nameof(earlier));

    /// <inheritdoc cref="op_Subtraction"/>
    public static UdpSocketCounters Subtract(UdpSocketCounters later, UdpSocketCounters earlier) => later - earlier;
}
