namespace Spate.Serving;

/// <summary>How a <see cref="UdpChannelHandler"/> keeps what waits for its readers.</summary>
public sealed record UdpChannelHandlerOptions
{
    /// <summary>Datagrams that may wait for a reader, 1 to 1,048,576. Default null: 4096.</summary>
    public int? Capacity { get; init; }

    /// <summary>
    /// True, the default: datagrams up to 2,048 bytes are copied into buffers of that size; longer ones are leased, and
    /// each holds a buffer of 64 KiB while it waits, so that the channel may hold its capacity times 64 KiB.
    /// False: all are leased. On a coalescing socket that saves a third of the cost where readers are quick, but every
    /// datagram that waits holds the whole buffer of 64 KiB it came in. On other sockets it is several times slower,
    /// since every datagram takes a slot's buffer away.
    /// </summary>
    public bool CopyPayloads { get; init; } = true;
}
