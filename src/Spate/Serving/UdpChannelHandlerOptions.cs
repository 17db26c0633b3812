namespace Spate.Serving;

/// <summary>
/// The options of a <see cref="UdpChannelHandler"/>: how it keeps datagrams that wait for its readers.
/// </summary>
public sealed record UdpChannelHandlerOptions
{
    /// <summary>
    /// The largest number of datagrams that may wait for a reader, 1 to 1,048,576. Default null: 4096.
    /// </summary>
    public int? Capacity { get; init; }

    /// <summary>
    /// Whether datagrams of up to 2,048 bytes are copied, into buffers of that size; default true. Longer datagrams are
    /// always leased, and each uses a buffer of 64 KiB while it waits. So the channel can use up to its capacity times
    /// 64 KiB. If the value is false, all datagrams are leased. On a coalescing socket this saves a third of the cost
    /// of the handler if readers are quick, but every waiting datagram keeps the whole buffer of 64 KiB in which it
    /// arrived. On other sockets leasing is several times slower than copying, because every lease keeps the buffer of
    /// its slot, and the slot then needs another buffer.
    /// </summary>
    public bool CopyPayloads { get; init; } = true;
}
