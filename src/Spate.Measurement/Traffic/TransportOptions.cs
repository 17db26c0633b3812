namespace Spate.Measurement.Traffic;

/// <summary>The backend, buffers and offloads of the sockets of all ends and of their warm-up.</summary>
internal sealed record TransportOptions
{
    // A receiver on a virtual machine does not run for up to 3.4 ms now and then, and 4 MiB are full after 0.7 ms at
    // 8 million datagrams a second. With 32 MiB the median of nine runs of 4 s lost nothing (docs/startup.md).
    // macOS refuses more than kern.ipc.maxsockbuf, usually 8 MiB, where Linux grants what its limit allows.
    private static readonly int DefaultReceiveBytes =
        OperatingSystem.IsLinux() ? 32 << 20 : UdpSocketOptions.DefaultBufferBytes;

    /// <summary>Null (the default): see <see cref="ReceiveBufferBytes"/> and <see cref="SendBufferBytes"/>.</summary>
    public int? BufferBytes { get; init; }

    /// <summary>32 MiB on Linux by default; it takes memory only while datagrams wait in it.</summary>
    public int ReceiveBufferBytes => BufferBytes ?? DefaultReceiveBytes;

    public int SendBufferBytes => BufferBytes ?? UdpSocketOptions.DefaultBufferBytes;

    /// <summary>
    /// Above the system's limit where the process may. On by default; off, root measures what others get.
    /// </summary>
    public bool ForceBuffers { get; init; } = true;

    /// <summary>The backend of the sockets; <see cref="UdpBackend.Automatic"/> by default.</summary>
    public UdpBackend Backend { get; init; } = UdpBackend.Automatic;

    /// <summary>Whether datagrams are sent as GSO messages where possible. On by default.</summary>
    public bool SegmentedSend { get; init; } = true;

    /// <summary>Whether coalesced buffers are received where possible (GRO). On by default.</summary>
    public bool CoalescedReceive { get; init; } = true;

    /// <summary>
    /// Looks for datagrams without sleep, on a whole CPU for each thread: a virtual machine's CPU that sleeps may be
    /// given to another guest for milliseconds. Off by default. Servers of iperf 2's protocol and of Spate.Serving do
    /// not use it.
    /// </summary>
    public bool SpinningReceive { get; init; }

    /// <summary>Traffic class byte (DSCP and ECN) of what is sent, 0 to 255; null (the default): 0.</summary>
    public int? TrafficClass { get; init; }

    /// <summary>Larger datagrams than the path's MTU are refused. Off by default.</summary>
    public bool DontFragment { get; init; }

    internal UdpSocketOptions ToSocketOptions() => new()
    {
        Backend = Backend,
        ReceiveBufferBytes = ReceiveBufferBytes,
        SendBufferBytes = SendBufferBytes,
        ForceBuffers = ForceBuffers,
        SegmentedSend = SegmentedSend,
        CoalescedReceive = CoalescedReceive ? null : false,
        TrafficClass = TrafficClass,
        Fragmentation = DontFragment ? UdpFragmentation.DontFragment : UdpFragmentation.Allowed,
    };
}

/// <summary>Whether a socket that sends to several peers can report ICMP errors (IP_RECVERR of Linux).</summary>
internal static class IcmpSupport
{
    /// <summary>Ask this before opening a socket: the portable backend refuses the option.</summary>
    public static bool IsPossible(UdpBackend backend) => OperatingSystem.IsLinux()
        && (backend == UdpBackend.Automatic ? UdpCapabilities.Current.Preferred : backend) != UdpBackend.Portable;
}
