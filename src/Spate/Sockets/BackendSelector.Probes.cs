using System.Net;
using System.Net.Sockets;
using Spate.Interop.Linux;
using Spate.Sockets.Mmsg;
using Spate.Sockets.Uring;

namespace Spate.Sockets;

/// <summary>
/// The probes. Each probe uses a capability to find out whether the capability works on this machine.
/// </summary>
internal static partial class BackendSelector
{
    /// <summary>
    /// Creates the set of this machine's capabilities. A capability is probed when its result is first read.
    /// </summary>
    public static Capabilities MakeProbes() => new(Probe);

    private static UdpCapability Probe(Capabilities capabilities, string name) => name switch
    {
        "ipv6" => Attempt(name, ProbeIPv6),
        _ when !OperatingSystem.IsLinux() => new UdpCapability(name, false, "Linux only"),
        "mmsg" => Attempt(name, MmsgProbe.RoundTrip),
        "uring" => Require(capabilities.Mmsg, name, ProbeUring),
        "segmentedSend" => Require(capabilities.Mmsg, name, ProbeSegmentedSend),
        "coalescedReceive" => Require(capabilities.Mmsg, name, ProbeCoalescedReceive),
        "metadata" => Require(capabilities.Mmsg, name, MmsgProbe.Metadata),
        "forcedBuffers" => Attempt(name, ProbeForcedBuffers),
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "No probe has this name."),
    };

    private static string? ProbeUring(out string seen) =>
        UringProbe.RoundTrip(static context => SenderFor(context, segments: false), out seen);

    private static string? ProbeSegmentedSend(out string seen)
    {
        seen = string.Empty;
        if (!Switches.SegmentedSend) return "switched off by SPATE_GSO";
        if (LinuxKernel.CorruptsGso(LinuxKernel.Version))
        {
            return $"kernel {LinuxKernel.Version} corrupts GSO messages of equal segments (fixed in 7.1.5)";
        }
        return MmsgProbe.SegmentedSend(out seen);
    }

    private static string? ProbeCoalescedReceive(out string seen)
    {
        seen = string.Empty;
        if (!Switches.CoalescedReceive) return "switched off by SPATE_GRO";
        if (LinuxKernel.Version < LinuxKernel.SoundCoalescing)
        {
            return $"kernel {LinuxKernel.Version} is older than {LinuxKernel.SoundCoalescing}, "
                + "before which UDP_GRO loses data";
        }

        return MmsgProbe.CoalescedReceive(out seen);
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

    private static UdpCapability Require(UdpCapability needed, string name, ProbeCall probe) =>
        needed.IsAvailable
            ? Attempt(name, probe)
            : needed with { Name = name, Reason = $"needs {needed.Name}: {needed.Reason}" };

    // Runs one probe. Probes run on unknown machines, so any exception means that the capability is unavailable, not
    // that the program has a bug.
    private static UdpCapability Attempt(string name, ProbeCall probe)
    {
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
}
