using System.Diagnostics.CodeAnalysis;
using Spate.Sockets;

namespace Spate;

/// <summary>
/// The features that work on this machine, found by trying them. A feature is probed when it is first needed, by a
/// property of this class or by a socket whose options need the feature. The process keeps the result. The probe of a
/// fast path sends and receives over loopback, in about a millisecond. Loopback cannot show how a network card handles
/// GSO messages. So the refusal of a GSO message is detected only by a send, which then switches GSO off for the
/// destination. Any thread may use this class.
/// </summary>
public sealed class UdpCapabilities
{
    private readonly Capabilities _probed;

    private UdpCapabilities(Capabilities probed) => _probed = probed;

    /// <summary>
    /// The capabilities of this process. Reading this property probes nothing. The properties of the returned object
    /// probe when they are first read. They return the same result from then on, unless the probe failed for lack of
    /// descriptors or memory.
    /// </summary>
    public static UdpCapabilities Current { get; } = new(BackendSelector.Probed);

    /// <summary>Several datagrams per system call: recvmmsg and sendmmsg (Linux).</summary>
    public UdpCapability Mmsg => _probed[Capability.Mmsg];

    /// <summary>
    /// io_uring with multishot receives and provided buffers (Linux 6.0); containers and administrators often forbid
    /// it.
    /// </summary>
    public UdpCapability Uring => _probed[Capability.Uring];

    /// <summary>
    /// GSO messages: UDP_SEGMENT (from Linux 4.18; not used on 7.0 to 7.1.4, which corrupt GSO messages), and
    /// UDP_SEND_MSG_SIZE (Windows 10 2004, with the backends Winsock and Rio). <c>SPATE_GSO=0</c> switches it off.
    /// </summary>
    public UdpCapability SegmentedSend => _probed[Capability.SegmentedSend];

    /// <summary>
    /// Coalesced receive: UDP_GRO (from Linux 5.12, since older kernels lose data), and UDP_RECV_MAX_COALESCED_SIZE
    /// (Windows, with the backend Winsock). <c>SPATE_GRO=0</c> switches it off.
    /// </summary>
    public UdpCapability CoalescedReceive => _probed[Capability.CoalescedReceive];

    /// <summary>Metadata of received datagrams (<see cref="UdpMetadata"/>).</summary>
    public UdpCapability Metadata => _probed[Capability.Metadata];

    /// <summary>Socket buffers larger than the system's limit (SO_RCVBUFFORCE, needs CAP_NET_ADMIN).</summary>
    public UdpCapability ForcedBuffers => _probed[Capability.ForcedBuffers];

    /// <summary>Sockets of the family IPv6.</summary>
    public UdpCapability IPv6 => _probed[Capability.IPv6];

    /// <summary>Posted receives and completion ports (<see cref="UdpBackend.Winsock"/>, Windows).</summary>
    [Experimental("SPATE001")]
    public UdpCapability Winsock => _probed[Capability.Winsock];

    /// <summary>Registered I/O (<see cref="UdpBackend.Rio"/>, Windows 8).</summary>
    [Experimental("SPATE001")]
    public UdpCapability Rio => _probed[Capability.Rio];

    /// <summary>
    /// All capabilities, in the order in which reports show them. Reading this property probes all capabilities that
    /// were not probed yet.
    /// </summary>
    public IReadOnlyList<UdpCapability> All => _probed.All;

    /// <summary>
    /// The backend that <see cref="UdpBackend.Automatic"/> chooses on this machine. A backend that <c>SPATE_BACKEND</c>
    /// names is chosen if it is available.
    /// </summary>
    public UdpBackend Preferred => _probed.PreferredUnder(Switches.Backend);

    /// <summary>
    /// Why <see cref="Preferred"/> is a slower backend than usual on this system or than <c>SPATE_BACKEND</c> names,
    /// for instance because no loopback interface is up for the probe of the faster backend; null if it is not slower.
    /// Unless this is null, opening a socket without an explicit backend writes the event <c>BackendFellBack</c>.
    /// </summary>
    public string? FallbackReason => _probed.FallbackUnder(Switches.Backend);

    /// <summary>
    /// The message of the exception that every open without an explicit backend throws, because <c>SPATE_BACKEND</c>
    /// has an invalid value; null if the value is valid.
    /// </summary>
    public string? BackendVariableError { get; } = Switches.Backend is null ? Switches.BackendFault : null;
}
