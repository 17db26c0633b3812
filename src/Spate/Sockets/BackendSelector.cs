using System.Net.Sockets;
using Spate.Diagnostics;
using Spate.Sockets.Mmsg;
using Spate.Sockets.Portable;
using Spate.Sockets.Rio;
using Spate.Sockets.Uring;
using Spate.Sockets.Winsock;

namespace Spate.Sockets;

/// <summary>The one place that names backends and chooses between them.</summary>
internal static partial class BackendSelector
{
    private static readonly EventThrottle FallBacks = new(TimeProvider.System);

    /// <summary>The capabilities of this process. A capability is probed when its result is first read.</summary>
    public static Capabilities Probed { get; } = MakeProbes();

    /// <summary>
    /// Chooses the backend for these options. Throws with the reason if the backend or an option is unavailable.
    /// </summary>
    public static UdpBackend Choose(UdpSocketOptions options) =>
        Choose(options, Probed, Switches.Backend);

    internal static UdpBackend Choose(
        UdpSocketOptions options, Capabilities capabilities, UdpBackend? switched, EventThrottle? fallBacks = null)
    {
        UdpBackend wanted = options.Backend != UdpBackend.Automatic
            ? options.Backend
            : switched ?? throw new InvalidOperationException(Switches.BackendFault);
        if (wanted == UdpBackend.Automatic) wanted = options.PreferredBackend;
        UdpCapability? required = wanted switch
        {
            UdpBackend.Mmsg => capabilities[Capability.Mmsg],
            UdpBackend.Uring when options.Backend == UdpBackend.Uring => capabilities[Capability.Uring],
            UdpBackend.Winsock => capabilities[Capability.Winsock],
            UdpBackend.Rio when options.Backend == UdpBackend.Rio => capabilities[Capability.Rio],
            _ => null,
        };
        if (required is { IsAvailable: false })
        {
            throw new PlatformNotSupportedException(
                $"The {wanted} backend is not available here: {required.Reason}.");
        }

        UdpBackend chosen = capabilities.PreferredUnder(wanted);
        if (options.Backend == UdpBackend.Automatic && capabilities.FallbackUnder(switched) is { } reason
            && (fallBacks ?? FallBacks).TryPass(out long count))
        {
            SpateEventSource.Log.BackendFellBack(chosen.ToString(), reason, count);
        }

        if (chosen == UdpBackend.Portable) RefuseWhatPortableLacks(options);
        if (chosen is UdpBackend.Winsock or UdpBackend.Rio) RefuseWhatWindowsLacks(chosen, options);
        return chosen;
    }

    /// <summary>Creates the backend pair of a socket.</summary>
    /// <exception cref="PlatformNotSupportedException">
    /// The system refuses another ring for this socket; the message has the reason.
    /// </exception>
    public static BackendPair Open(UdpBackend backend, SocketContext context) =>
        Open(backend, context, Probed);

    internal static BackendPair Open(UdpBackend backend, SocketContext context, Capabilities capabilities)
    {
        SocketSetup.DisableCoalescedReceive(context.Socket);
        if (backend == UdpBackend.Portable)
        {
            return new BackendPair(
                backend, Reporting(new PortableReceiver(context), context), new PortableSender(context));
        }

        bool coalesces = (context.Options.CoalescedReceive ?? backend is UdpBackend.Mmsg or UdpBackend.Uring)
            && backend != UdpBackend.Rio
            && capabilities[Capability.CoalescedReceive].IsAvailable;
        bool segments = context.Options.SegmentedSend != false && capabilities[Capability.SegmentedSend].IsAvailable;
        try
        {
            Receiver receiver = backend switch
            {
                UdpBackend.Uring => OpenRing(context, coalesces),
                UdpBackend.Winsock => OpenPort(context, coalesces),
                UdpBackend.Rio => OpenRegistered(context),
                _ => new MmsgReceiver<LinuxSocketCalls>(context, coalesces, default),
            };
            return new BackendPair(backend, Reporting(receiver, context), SenderFor(backend, context, segments));
        }
        catch
        {
            // An adopted socket goes back to its caller, who does not expect coalesced buffers.
            SocketSetup.DisableCoalescedReceive(context.Socket);
            throw;
        }
    }

    private static UringReceiver<LinuxUringCalls> OpenRing(SocketContext context, bool coalesces)
    {
        // A ring takes datagrams from the start, before a call asks for one.
        coalesces = coalesces && SocketSetup.TryEnableCoalescedReceive(context.Socket);
        try
        {
            UringShape shape = UringShape.For(coalesces, context.Options.RingPayloadBytes is not null);
            return UringReceiver<LinuxUringCalls>.Open(context, coalesces, shape, default);
        }
        catch (UringRefusedException refusal)
        {
            // The probe could open a ring, so a limit has been reached since then.
            throw new PlatformNotSupportedException(
                $"No further ring for this socket: {refusal.Message}.", refusal);
        }
    }

    private static WinsockReceiver<WinsockCalls> OpenPort(SocketContext context, bool coalesces)
    {
        // Receives are posted before a call can switch coalescing on.
        coalesces = coalesces && SocketSetup.TryEnableCoalescedReceive(context.Socket);
        try
        {
            return WinsockReceiver<WinsockCalls>.Open(context, coalesces, default);
        }
        catch (SocketException refusal) when (refusal.SocketErrorCode is not SocketError.NoBufferSpaceAvailable)
        {
            // An adopted socket may belong to another completion port, that of the runtime, and no call ends that.
            throw new PlatformNotSupportedException(
                $"The system refused a completion port for this socket: {refusal.Message}. If the socket has made "
                + "asynchronous calls before, use the Portable backend.", refusal);
        }
    }

    private static RioReceiver<WindowsRioCalls> OpenRegistered(SocketContext context) =>
        RioReceiver<WindowsRioCalls>.Open(
            context, RioShape.For(context.Options.RingPayloadBytes), WindowsRioCalls.Of(context.Socket));

    private static Receiver Reporting(Receiver receiver, SocketContext context) =>
        context.ReportsPortUnreachable ? new ReportingReceiver(receiver, context) : receiver;

    private static Sender SenderFor(UdpBackend backend, SocketContext context, bool segments) => backend switch
    {
        UdpBackend.Winsock or UdpBackend.Rio => new WinsockSender<WinsockSendCalls>(
            context, segments ? WinsockProbe.MaxSegmentCount : 1, WinsockProbe.TakesTrafficClass, default),
        _ => new MmsgSender<LinuxSocketCalls>(context, segments, default),
    };

    private static void RefuseWhatPortableLacks(UdpSocketOptions options)
    {
        string? lack = options switch
        {
            { Metadata: not UdpMetadata.None } =>
                $"report {options.Metadata} of a datagram: leave Metadata at None",
            { EnableTransmitTimes: true } => "set transmit times of datagrams: leave EnableTransmitTimes off",
            { ReportIcmpErrors: true } => "attribute ICMP errors: leave ReportIcmpErrors off",
            _ => null,
        };
        if (lack is null) return;
        throw new PlatformNotSupportedException(
            $"The portable backend cannot {lack}, or use the Mmsg backend on Linux.");
    }

    private static void RefuseWhatWindowsLacks(UdpBackend chosen, UdpSocketOptions options)
    {
        string? lack = options switch
        {
            { Metadata: var metadata } when metadata.HasFlag(UdpMetadata.Timestamp) =>
                "report the time of arrival: leave Timestamp out of Metadata",
            { EnableTransmitTimes: true } => "set transmit times of datagrams: leave EnableTransmitTimes off",
            { ReportIcmpErrors: true } => "attribute ICMP errors: leave ReportIcmpErrors off",
            _ => null,
        };
        if (chosen == UdpBackend.Rio && options.ReportPortUnreachable)
        {
            throw new PlatformNotSupportedException(
                "Registered I/O reports no closed port: leave ReportPortUnreachable off, or use the Winsock backend.");
        }

        if (lack is null) return;
        throw new PlatformNotSupportedException(
            $"The backends Winsock and Rio cannot {lack}, or use the Mmsg backend on Linux.");
    }
}

/// <summary>The backend, receiver and sender that the selector chose for a socket.</summary>
/// <param name="Backend">
/// The backend; never Automatic. A socket accepts only batches that were made for the same backend.
/// </param>
/// <param name="Receiver">Receives batches and single datagrams.</param>
/// <param name="Sender">
/// Sends datagrams. Belongs to another backend if the receiver's backend has no sender of its own.
/// </param>
internal readonly record struct BackendPair(UdpBackend Backend, Receiver Receiver, Sender Sender);
