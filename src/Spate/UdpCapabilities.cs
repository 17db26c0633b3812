using Spate.Sockets;

namespace Spate;

/// <summary>
/// What was probed on this machine: each fast path really sent and received over loopback, once per process, in a few
/// milliseconds.
/// Loopback cannot show what a network card does with trains; that is found at run time and demoted per destination.
/// </summary>
public sealed class UdpCapabilities
{
    private static readonly RetriedLazy<UdpCapabilities> Cached =
        new(BackendSelector.Probe, static probed => !probed.All.Any(one => one.IsTransient));

    internal UdpCapabilities()
    {
    }

    /// <summary>recvmmsg and sendmmsg (Linux).</summary>
    public required UdpCapability Mmsg { get; init; }

    /// <summary>
    /// io_uring with multishot receives and provided buffers (Linux 6.0); containers and administrators often forbid
    /// it.
    /// </summary>
    public required UdpCapability Uring { get; init; }

    /// <summary>
    /// Trains: UDP_SEGMENT (Linux 4.18; not on 7.0 to 7.1.4, which corrupt them; <c>SPATE_GSO=0</c> switches it off).
    /// </summary>
    public required UdpCapability SegmentedSend { get; init; }

    /// <summary>
    /// Coalesced receive: UDP_GRO (from Linux 5.12, where it is sound; <c>SPATE_GRO=0</c> switches it off).
    /// </summary>
    public required UdpCapability CoalescedReceive { get; init; }

    /// <summary>Metadata of received datagrams (<see cref="UdpMetadata"/>).</summary>
    public required UdpCapability Metadata { get; init; }

    /// <summary>Buffers above the system's limit (SO_RCVBUFFORCE, needs CAP_NET_ADMIN).</summary>
    public required UdpCapability ForcedBuffers { get; init; }

    /// <summary>IPv6 sockets.</summary>
    public required UdpCapability IPv6 { get; init; }

    /// <summary>All of them, in the order they are shown in.</summary>
    public IReadOnlyList<UdpCapability> All =>
        [Mmsg, SegmentedSend, CoalescedReceive, Metadata, ForcedBuffers, IPv6, Uring];

    /// <summary>
    /// The backend that <see cref="UdpBackend.Automatic"/> stands for here, <c>SPATE_BACKEND</c> considered as far as
    /// it names one that is available.
    /// </summary>
    public UdpBackend Preferred => PreferredUnder(Switches.Backend);

    /// <summary>
    /// Why <see cref="Preferred"/> is a slower backend than this system could have, for instance because no loopback is
    /// up to try the faster one over; null where nothing fell back. Sockets that are opened meanwhile write the event
    /// <c>BackendFellBack</c>.
    /// </summary>
    public string? Fallback => FallbackUnder(Switches.Backend);

    /// <summary>
    /// What every open throws that does not name its backend, since <c>SPATE_BACKEND</c> has a value that it cannot
    /// have; null where it has not.
    /// </summary>
    public static string? SwitchFault => Switches.Backend is null ? Switches.BackendFault : null;

    internal string? FallbackUnder(UdpBackend? switched) => switched switch
    {
        UdpBackend.Uring when !Uring.Available =>
            $"SPATE_BACKEND asks for Uring, which is not available here: {Uring.Reason}",
        UdpBackend.Automatic when OperatingSystem.IsLinux() && !Mmsg.Available =>
            $"Mmsg is not available here: {Mmsg.Reason}",
        _ => null,
    };

    internal UdpBackend PreferredUnder(UdpBackend? switched) => switched switch
    {
        UdpBackend.Portable => UdpBackend.Portable,
        UdpBackend.Uring when Uring.Available => UdpBackend.Uring,
        _ => Mmsg.Available ? UdpBackend.Mmsg : UdpBackend.Portable,
    };

    /// <summary>
    /// Probes at the first call and returns the same answer from then on, unless descriptors or memory were short.
    /// Any thread may call.
    /// </summary>
    public static UdpCapabilities Probe() => Cached.Value;
}
