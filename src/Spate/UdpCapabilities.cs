using Spate.Sockets;

namespace Spate;

/// <summary>
/// The features that work on this machine, found by trying them. A capability is probed when it is first asked for, by
/// a property here or by a socket whose options need it. The process keeps the result. The probe of a fast path sends
/// and receives over loopback, in about a millisecond. Loopback cannot show how a network card handles GSO messages:
/// refusals are found at run time, and switch GSO messages off per destination. Any thread may ask.
/// </summary>
public sealed class UdpCapabilities
{
    private readonly Capabilities _probed;

    private UdpCapabilities(Capabilities probed) => _probed = probed;

    /// <summary>
    /// The capabilities of this process. Reading this property probes nothing. The properties of the returned object
    /// probe when they are first read, and give the same answer from then on, unless descriptors or memory were short.
    /// </summary>
    public static UdpCapabilities Current { get; } = new(BackendSelector.Probed);

    /// <summary>recvmmsg and sendmmsg (Linux).</summary>
    public UdpCapability Mmsg => _probed.Mmsg;

    /// <summary>
    /// io_uring with multishot receives and provided buffers (Linux 6.0); containers and administrators often forbid
    /// it.
    /// </summary>
    public UdpCapability Uring => _probed.Uring;

    /// <summary>
    /// GSO messages: UDP_SEGMENT (Linux 4.18; not on 7.0 to 7.1.4, which corrupt them; <c>SPATE_GSO=0</c> switches them
    /// off).
    /// </summary>
    public UdpCapability SegmentedSend => _probed.SegmentedSend;

    /// <summary>
    /// Coalesced receive: UDP_GRO (from Linux 5.12, since older kernels lose data; <c>SPATE_GRO=0</c> switches it off).
    /// </summary>
    public UdpCapability CoalescedReceive => _probed.CoalescedReceive;

    /// <summary>Metadata of received datagrams (<see cref="UdpMetadata"/>).</summary>
    public UdpCapability Metadata => _probed.Metadata;

    /// <summary>Buffers above the system's limit (SO_RCVBUFFORCE, needs CAP_NET_ADMIN).</summary>
    public UdpCapability ForcedBuffers => _probed.ForcedBuffers;

    /// <summary>Sockets of the family IPv6.</summary>
    public UdpCapability IPv6 => _probed.IPv6;

    /// <summary>
    /// All capabilities, in the order in which reports show them. Probes those that were not asked for yet.
    /// </summary>
    public IReadOnlyList<UdpCapability> All => _probed.All;

    /// <summary>
    /// The backend that <see cref="UdpBackend.Automatic"/> stands for here. <c>SPATE_BACKEND</c> is considered if it
    /// names an available backend.
    /// </summary>
    public UdpBackend Preferred => _probed.PreferredUnder(Switches.Backend);

    /// <summary>
    /// Why <see cref="Preferred"/> is a slower backend than this system could have, for instance because no loopback
    /// interface is up for the probe of the faster backend; null without a fallback. Sockets that are opened during a
    /// fallback write the event <c>BackendFellBack</c>.
    /// </summary>
    public string? Fallback => _probed.FallbackUnder(Switches.Backend);

    /// <summary>
    /// The message of the exception that every open without an explicit backend throws, because <c>SPATE_BACKEND</c>
    /// has an invalid value; null if the value is valid.
    /// </summary>
    public string? SwitchFault { get; } = Switches.Backend is null ? Switches.BackendFault : null;
}
