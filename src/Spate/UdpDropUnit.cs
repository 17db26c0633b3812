namespace Spate;

/// <summary>What one drop of the kernel is.</summary>
public enum UdpDropUnit
{
    /// <summary>The unit is not known: the counters are of no socket, or of sockets whose units differ.</summary>
    None = 0,

    /// <summary>A drop is one datagram.</summary>
    Datagrams,

    /// <summary>
    /// A drop is one buffer of a coalescing socket, which may have held up to 64 datagrams: the kernel does not say how
    /// many.
    /// </summary>
    CoalescedBuffers,
}
