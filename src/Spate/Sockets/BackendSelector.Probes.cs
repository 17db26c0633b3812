using System.Net;
using System.Net.Sockets;
using Spate.Interop.Linux;
using Spate.Sockets.Mmsg;
using Spate.Sockets.Rio;
using Spate.Sockets.Uring;
using Spate.Sockets.Winsock;

namespace Spate.Sockets;

/// <summary>
/// The probes. Each probe uses a capability to find out whether the capability works on this machine.
/// </summary>
internal static partial class BackendSelector
{
    /// <summary>
    /// The first kernel version on which Spate uses UDP_GRO. Earlier versions have checksum and segmentation bugs in
    /// UDP_GRO that no probe finds; wireguard-go also requires 5.12.
    /// </summary>
    private static readonly Version SoundCoalescing = new(5, 12);

    private static readonly Version GsoCorruptionFrom = new(7, 0);
    private static readonly Version GsoCorruptionFixed = new(7, 1, 5);

    // The row of each capability, at the index that is its value.
    private static readonly (string Name, Condition Condition, ProbeCall Probe)[] Rows =
    [
        ("mmsg", Condition.Linux, MmsgProbe.RoundTrip),
        ("segmentedSend", Condition.NativeCalls, ProbeSegmentedSend),
        ("coalescedReceive", Condition.NativeCalls, ProbeCoalescedReceive),
        ("metadata", Condition.NativeCalls, ProbeMetadata),
        ("forcedBuffers", Condition.Linux, ProbeForcedBuffers),
        ("ipv6", Condition.Nothing, ProbeIPv6),
        ("uring", Condition.Mmsg, ProbeUring),
        ("winsock", Condition.Windows, WinsockProbe.RoundTrip),
        ("rio", Condition.Winsock, RioProbe.RoundTrip),
    ];

    /// <summary>
    /// Creates the set of this machine's capabilities. A capability is probed when its result is first read.
    /// </summary>
    public static Capabilities MakeProbes() => new(Probe);

    /// <summary>
    /// Whether this kernel writes bad UDP headers if all segments of a GSO message are equally long: 7.0-rc1 (b10b446)
    /// to 7.1.4.
    /// </summary>
    internal static bool CorruptsGso(Version kernel) => kernel >= GsoCorruptionFrom && kernel < GsoCorruptionFixed;

    /// <summary>Whether UDP_GRO of this kernel loses data.</summary>
    internal static bool IsTooOldToCoalesce(Version kernel) => kernel < SoundCoalescing;

    // Probes run on unknown machines, so any exception means that the capability is unavailable, not that the program
    // has a bug.
    private static UdpCapability Probe(Capabilities capabilities, Capability capability)
    {
        (string name, Condition condition, ProbeCall probe) = Rows[(int)capability];
        if (SystemFault(condition) is { } missing) return new UdpCapability(name, false, missing);
        if (NeededFor(condition) is { } needed && capabilities[needed] is { IsAvailable: false } lacking)
        {
            return new UdpCapability(name, false, $"needs {lacking.Name}: {lacking.Reason}")
            {
                IsTransient = lacking.IsTransient,
            };
        }

        try
        {
            string? fault = probe(out string seen);
            return new UdpCapability(name, fault is null, fault ?? seen);
        }
        catch (Exception exception)
        {
            return new UdpCapability(name, false, exception.Message) { IsTransient = IsShortage(exception) };
        }
    }

    private static string? SystemFault(Condition condition) => condition switch
    {
        Condition.Linux or Condition.Mmsg when !OperatingSystem.IsLinux() => "Linux only",
        Condition.Windows or Condition.Winsock when !OperatingSystem.IsWindows() => "Windows only",
        Condition.NativeCalls when !OperatingSystem.IsLinux() && !OperatingSystem.IsWindows() =>
            "Linux and Windows only",
        _ => null,
    };

    private static Capability? NeededFor(Condition condition) => condition switch
    {
        Condition.Mmsg => Capability.Mmsg,
        Condition.Winsock => Capability.Winsock,
        Condition.NativeCalls => OperatingSystem.IsWindows() ? Capability.Winsock : Capability.Mmsg,
        _ => null,
    };

    private static string? ProbeMetadata(out string seen) =>
        OperatingSystem.IsWindows() ? WinsockProbe.Metadata(out seen) : MmsgProbe.Metadata(out seen);

    private static string? ProbeUring(out string seen) =>
        UringProbe.RoundTrip(static context => SenderFor(UdpBackend.Uring, context, segments: false), out seen);

    private static string? ProbeSegmentedSend(out string seen)
    {
        seen = string.Empty;
        if (!Switches.SegmentedSend) return "switched off by SPATE_GSO";
        if (OperatingSystem.IsWindows()) return WinsockProbe.SegmentedSend(out seen);
        Version kernel = Environment.OSVersion.Version;
        return CorruptsGso(kernel)
            ? $"kernel {kernel} corrupts GSO messages of equal segments (fixed in {GsoCorruptionFixed})"
            : MmsgProbe.SegmentedSend(out seen);
    }

    private static string? ProbeCoalescedReceive(out string seen)
    {
        seen = string.Empty;
        if (!Switches.CoalescedReceive) return "switched off by SPATE_GRO";
        if (OperatingSystem.IsWindows()) return WinsockProbe.CoalescedReceive(out seen);
        Version kernel = Environment.OSVersion.Version;
        return IsTooOldToCoalesce(kernel)
            ? $"kernel {kernel} is older than {SoundCoalescing}, before which UDP_GRO loses data"
            : MmsgProbe.CoalescedReceive(out seen);
    }

    private static string? ProbeForcedBuffers(out string seen)
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        seen = "SO_RCVBUFFORCE was accepted";
        return SocketSetup.TryForceReceiveBuffer(socket, UdpSocketOptions.DefaultBufferBytes)
            ? null
            : "SO_RCVBUFFORCE was refused: it needs CAP_NET_ADMIN in the first user namespace";
    }

    private static string? ProbeIPv6(out string seen)
    {
        seen = "bound [::1]";
        if (!Socket.OSSupportsIPv6) return "the system has no IPv6";
        using Socket socket = new(AddressFamily.InterNetworkV6, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.IPv6Loopback, 0));
        return null;
    }

    // Whether a probe failed because descriptors or memory were short, so that a later probe may succeed. ENOMEM from a
    // ring does not count: it reports the limit of locked memory, which is permanent.
    internal static bool IsShortage(Exception fault) =>
        fault is SocketException
        {
            SocketErrorCode: SocketError.TooManyOpenSockets or SocketError.NoBufferSpaceAvailable,
        }
        or UringRefusedException { ErrorNumber: Errno.EMFILE or Errno.ENFILE }
        or OutOfMemoryException;

    /// <summary>
    /// Returns null if the capability works, with the evidence in <paramref name="seen"/>; otherwise the reason for the
    /// failure.
    /// </summary>
    private delegate string? ProbeCall(out string seen);

    /// <summary>The condition under which a probe runs.</summary>
    private enum Condition
    {
        Nothing,
        Linux,
        Mmsg,
        Windows,
        Winsock,

        /// <summary>Mmsg on Linux, Winsock on Windows.</summary>
        NativeCalls,
    }
}
