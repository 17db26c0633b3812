using Spate.Sockets;

namespace Spate;

/// <summary>
/// What works on this machine, found by trying it. A capability is probed when it is first asked for, by a property
/// here or by a socket whose options need it, and kept for the process: a fast path really sends and receives over
/// loopback, in about a millisecond. Loopback cannot show what a network card does with GSO messages; that is found at
/// run time and switched off per destination. Any thread may ask.
/// </summary>
public sealed class UdpCapabilities
{
    private readonly Capabilities _probed;

    private UdpCapabilities(Capabilities probed) => _probed = probed;

    /// <summary>
    /// The capabilities of this process. Reading it probes nothing: each property does when it is first read, and
    /// gives the same answer from then on, unless descriptors or memory were short.
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
    /// GSO messages: UDP_SEGMENT (Linux 4.18; not on 7.0 to 7.1.4, which corrupt them; <c>SPATE_GSO=0</c> switches it
    /// off).
    /// </summary>
    public UdpCapability SegmentedSend => _probed.SegmentedSend;

    /// <summary>
    /// Coalesced receive: UDP_GRO (from Linux 5.12, where it is sound; <c>SPATE_GRO=0</c> switches it off).
    /// </summary>
    public UdpCapability CoalescedReceive => _probed.CoalescedReceive;

    /// <summary>Metadata of received datagrams (<see cref="UdpMetadata"/>).</summary>
    public UdpCapability Metadata => _probed.Metadata;

    /// <summary>Buffers above the system's limit (SO_RCVBUFFORCE, needs CAP_NET_ADMIN).</summary>
    public UdpCapability ForcedBuffers => _probed.ForcedBuffers;

    /// <summary>Sockets of the family IPv6.</summary>
    public UdpCapability IPv6 => _probed.IPv6;

    /// <summary>All of them, in the order they are shown in. Probes what was not asked for yet.</summary>
    public IReadOnlyList<UdpCapability> All => _probed.All;

    /// <summary>
    /// The backend that <see cref="UdpBackend.Automatic"/> stands for here, <c>SPATE_BACKEND</c> considered as far as
    /// it names one that is available.
    /// </summary>
    public UdpBackend Preferred => _probed.PreferredUnder(Switches.Backend);

    /// <summary>
    /// Why <see cref="Preferred"/> is a slower backend than this system could have, for instance because no loopback is
    /// up to try the faster one over; null where nothing fell back. Sockets that are opened meanwhile write the event
    /// <c>BackendFellBack</c>.
    /// </summary>
    public string? Fallback => _probed.FallbackUnder(Switches.Backend);

    /// <summary>
    /// What every open throws that does not name its backend, because <c>SPATE_BACKEND</c> has a value that it cannot
    /// have; null where the value is possible.
    /// </summary>
    public string? SwitchFault { get; } = Switches.Backend is null ? Switches.BackendFault : null;
}
