namespace Spate.Sockets;

/// <summary>
/// The results of the probes. A probe runs when its result is first read, and the result is kept. If descriptors or
/// memory were short, the next read probes again. Any thread may read.
/// </summary>
internal sealed class Capabilities
{
    private readonly RetriedLazy<UdpCapability> _mmsg;
    private readonly RetriedLazy<UdpCapability> _uring;
    private readonly RetriedLazy<UdpCapability> _segmentedSend;
    private readonly RetriedLazy<UdpCapability> _coalescedReceive;
    private readonly RetriedLazy<UdpCapability> _metadata;
    private readonly RetriedLazy<UdpCapability> _forcedBuffers;
    private readonly RetriedLazy<UdpCapability> _ipv6;

    /// <param name="probe">
    /// Probes the capability with the given name. Called again if descriptors or memory were short.
    /// </param>
    public Capabilities(Func<Capabilities, string, UdpCapability> probe)
    {
        _mmsg = Once("mmsg");
        _uring = Once("uring");
        _segmentedSend = Once("segmentedSend");
        _coalescedReceive = Once("coalescedReceive");
        _metadata = Once("metadata");
        _forcedBuffers = Once("forcedBuffers");
        _ipv6 = Once("ipv6");

        RetriedLazy<UdpCapability> Once(string name) =>
            new(() => probe(this, name), static probed => !probed.IsTransient);
    }

    public UdpCapability Mmsg => _mmsg.Value;

    public UdpCapability Uring => _uring.Value;

    public UdpCapability SegmentedSend => _segmentedSend.Value;

    public UdpCapability CoalescedReceive => _coalescedReceive.Value;

    public UdpCapability Metadata => _metadata.Value;

    public UdpCapability ForcedBuffers => _forcedBuffers.Value;

    public UdpCapability IPv6 => _ipv6.Value;

    /// <summary>
    /// All capabilities in display order. Reading this property runs the probes that have not run yet.
    /// </summary>
    public IReadOnlyList<UdpCapability> All =>
        [Mmsg, SegmentedSend, CoalescedReceive, Metadata, ForcedBuffers, IPv6, Uring];

    /// <summary>
    /// The reason why <see cref="PreferredUnder"/> returns a slower backend than SPATE_BACKEND asks for, or than is
    /// usual on Linux. Null if it returns no slower backend.
    /// </summary>
    public string? FallbackUnder(UdpBackend? switched) => switched switch
    {
        UdpBackend.Uring when !Uring.IsAvailable =>
            $"SPATE_BACKEND asks for Uring, which is not available here: {Uring.Reason}",
        UdpBackend.Automatic when OperatingSystem.IsLinux() && !Mmsg.IsAvailable =>
            $"Mmsg is not available here: {Mmsg.Reason}",
        _ => null,
    };

    /// <summary>
    /// The backend that <see cref="UdpBackend.Automatic"/> means if SPATE_BACKEND has the value
    /// <paramref name="switched"/>, which is null if the variable has an invalid value.
    /// </summary>
    public UdpBackend PreferredUnder(UdpBackend? switched) => switched switch
    {
        UdpBackend.Portable => UdpBackend.Portable,
        UdpBackend.Uring when Uring.IsAvailable => UdpBackend.Uring,
        _ => Mmsg.IsAvailable ? UdpBackend.Mmsg : UdpBackend.Portable,
    };
}
