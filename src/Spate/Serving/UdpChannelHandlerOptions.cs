namespace Spate.Serving;

/// <summary>How a <see cref="UdpChannelHandler"/> keeps datagrams that wait for its readers.</summary>
public sealed record UdpChannelHandlerOptions
{
    /// <summary>Datagrams that may wait for a reader, 1 to 1,048,576. Default null: 4096.</summary>
    public int? Capacity { get; init; }

    /// <summary>
    /// True, the default: datagrams up to 2,048 bytes are copied into buffers of that size. Longer datagrams are
    /// leased, and each takes a buffer of 64 KiB while it waits, so the channel may take its capacity times 64 KiB.
    /// False: all datagrams are leased. On a coalescing socket that saves a third of the cost if readers are quick, but
    /// every waiting datagram keeps the whole buffer of 64 KiB that it came in. On other sockets leasing is several
    /// times slower, because every datagram takes a slot's buffer away.
    /// </summary>
    public bool CopyPayloads { get; init; } = true;
}
