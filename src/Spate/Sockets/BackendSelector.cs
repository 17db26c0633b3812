using Spate.Diagnostics;
using Spate.Sockets.Mmsg;
using Spate.Sockets.Portable;
using Spate.Sockets.Uring;

namespace Spate.Sockets;

/// <summary>The one place that names backends and chooses between them.</summary>
internal static partial class BackendSelector
{
    private static readonly EventThrottle Events = new(TimeProvider.System);

    /// <summary>The capabilities of this process. A capability is probed when its result is first read.</summary>
    public static Capabilities Probed { get; } = MakeProbes();

    /// <summary>
    /// Chooses the backend for these options. Throws with the reason if the backend or an option is unavailable.
    /// </summary>
    public static UdpBackend Choose(UdpSocketOptions options) =>
        Choose(options, Probed, Switches.Backend);

    internal static UdpBackend Choose(
        UdpSocketOptions options, Capabilities capabilities, UdpBackend? switched, EventThrottle? events = null)
    {
        UdpBackend wanted = options.Backend != UdpBackend.Automatic
            ? options.Backend
            : switched ?? throw new InvalidOperationException(Switches.BackendFault);
        if (wanted == UdpBackend.Automatic) wanted = options.PreferredBackend;
        UdpBackend chosen = wanted switch
        {
            UdpBackend.Automatic when capabilities.Mmsg.IsAvailable => UdpBackend.Mmsg,
            UdpBackend.Automatic => UdpBackend.Portable,
            UdpBackend.Mmsg when !capabilities.Mmsg.IsAvailable =>
                throw new PlatformNotSupportedException(
                    $"The Mmsg backend is not available here: {capabilities.Mmsg.Reason}."),
            UdpBackend.Uring when !capabilities.Uring.IsAvailable && options.Backend == UdpBackend.Uring =>
                throw new PlatformNotSupportedException(
                    $"The Uring backend is not available here: {capabilities.Uring.Reason}."),
            UdpBackend.Uring when !capabilities.Uring.IsAvailable =>
                capabilities.Mmsg.IsAvailable ? UdpBackend.Mmsg : UdpBackend.Portable,
            _ => wanted,
        };
        if (options.Backend == UdpBackend.Automatic && capabilities.FallbackUnder(switched) is { } reason
            && (events ?? Events).TryPass(EventKind.BackendFellBack, out long count))
        {
            SpateEventSource.Log.BackendFellBack(chosen.ToString(), reason, count);
        }

        if (chosen == UdpBackend.Portable) RefuseWhatPortableLacks(options);
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

        bool coalesces = context.Options.CoalescedReceive && capabilities.CoalescedReceive.IsAvailable;
        bool segments = context.Options.SegmentedSend && capabilities.SegmentedSend.IsAvailable;
        Receiver receiver = backend == UdpBackend.Uring
            ? OpenRing(context, coalesces)
            : new MmsgReceiver<LinuxSocketCalls>(context, coalesces, default);
        return new BackendPair(backend, Reporting(receiver, context), SenderFor(context, segments));
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

    private static Receiver Reporting(Receiver receiver, SocketContext context) =>
        context.ReportsPortUnreachable ? new ReportingReceiver(receiver, context) : receiver;

    private static MmsgSender<LinuxSocketCalls> SenderFor(SocketContext context, bool segments) =>
        new(context, segments, default);

    private static void RefuseWhatPortableLacks(UdpSocketOptions options)
    {
        if (options.Metadata != UdpMetadata.None)
        {
            throw new PlatformNotSupportedException(
                $"The portable backend cannot report {options.Metadata} of a datagram: "
                + "leave Metadata at None, or use the Mmsg backend on Linux.");
        }

        if (options.TransmitTimes)
        {
            throw new PlatformNotSupportedException(
                "The portable backend cannot give datagrams a time to leave: "
                + "leave TransmitTimes off, or use the Mmsg backend on Linux.");
        }

        if (options.IcmpErrors)
        {
            throw new PlatformNotSupportedException(
                "The portable backend cannot attribute ICMP errors: "
                + "leave IcmpErrors off, or use the Mmsg backend on Linux.");
        }
    }
}
