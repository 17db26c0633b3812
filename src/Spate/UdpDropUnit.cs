namespace Spate;

/// <summary>The unit in which the kernel counts drops.</summary>
public enum UdpDropUnit
{
    /// <summary>
    /// The unit is unknown: the counters belong to no socket, or are a sum over sockets with different units.
    /// </summary>
    None = 0,

    /// <summary>A drop is one datagram.</summary>
    Datagrams,

    /// <summary>
    /// A drop is one buffer of a coalescing socket, with up to 64 datagrams; the kernel does not report how many.
    /// </summary>
    CoalescedBuffers,
}
