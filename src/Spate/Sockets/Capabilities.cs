namespace Spate.Sockets;

/// <summary>The features that are probed, in the order in which reports show them.</summary>
internal enum Capability
{
    Mmsg,
    SegmentedSend,
    CoalescedReceive,
    Metadata,
    ForcedBuffers,
    IPv6,
    Uring,
    Winsock,
    Rio,
}

/// <summary>
/// The results of the probes. A probe runs when its result is first read, and the result is kept. If descriptors or
/// memory were short, the next read probes again. Any thread may read.
/// </summary>
/// <param name="probe">Probes a capability. May read the results of others.</param>
internal sealed class Capabilities(Func<Capabilities, Capability, UdpCapability> probe)
{
    private readonly Lock _lock = new();
    private readonly UdpCapability?[] _found = new UdpCapability?[(int)Capability.Rio + 1];

    /// <summary>
    /// All capabilities in display order. Reading this property runs the probes that have not run yet.
    /// </summary>
    public IReadOnlyList<UdpCapability> All =>
        [.. Enum.GetValues<Capability>().Select(capability => this[capability])];

    public UdpCapability this[Capability capability] =>
        Volatile.Read(ref _found[(int)capability]) ?? Probe(capability);

    /// <summary>
    /// The reason why <see cref="PreferredUnder"/> returns a slower backend than SPATE_BACKEND asks for, or than is
    /// usual on Linux. Null if it returns no slower backend.
    /// </summary>
    public string? FallbackUnder(UdpBackend? switched) => switched switch
    {
        UdpBackend.Uring when !this[Capability.Uring].IsAvailable =>
            $"SPATE_BACKEND requires Uring, which is not available here: {this[Capability.Uring].Reason}",
        UdpBackend.Winsock when !this[Capability.Winsock].IsAvailable =>
            $"SPATE_BACKEND requires Winsock, which is not available here: {this[Capability.Winsock].Reason}",
        UdpBackend.Rio when !this[Capability.Rio].IsAvailable =>
            $"SPATE_BACKEND requires Rio, which is not available here: {this[Capability.Rio].Reason}",
        UdpBackend.Automatic when OperatingSystem.IsLinux() && !this[Capability.Mmsg].IsAvailable =>
            $"Mmsg is not available here: {this[Capability.Mmsg].Reason}",
        _ => null,
    };

    /// <summary>
    /// The backend to use if <paramref name="switched"/> is asked for: that backend if it is available, otherwise the
    /// backend whose sender it uses, and otherwise the best one of the system. Null stands for an invalid value of
    /// SPATE_BACKEND.
    /// </summary>
    public UdpBackend PreferredUnder(UdpBackend? switched) => switched switch
    {
        UdpBackend.Portable => UdpBackend.Portable,
        UdpBackend.Uring when this[Capability.Uring].IsAvailable => UdpBackend.Uring,
        UdpBackend.Rio when this[Capability.Rio].IsAvailable => UdpBackend.Rio,
        UdpBackend.Rio or UdpBackend.Winsock when this[Capability.Winsock].IsAvailable => UdpBackend.Winsock,
        _ => this[Capability.Mmsg].IsAvailable ? UdpBackend.Mmsg : UdpBackend.Portable,
    };

    private UdpCapability Probe(Capability capability)
    {
        lock (_lock)
        {
            ref UdpCapability? found = ref _found[(int)capability];
            if (found is not null) return found;
            UdpCapability probed = probe(this, capability);
            if (!probed.IsTransient) Volatile.Write(ref found, probed);
            return probed;
        }
    }
}
