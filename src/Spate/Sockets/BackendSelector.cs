using Spate.Diagnostics;
using Spate.Sockets.Mmsg;
using Spate.Sockets.Portable;
using Spate.Sockets.Uring;

namespace Spate.Sockets;

/// <summary>The one place that names backends and chooses between them.</summary>
internal static partial class BackendSelector
{
    private static readonly EventThrottle Events = new(TimeProvider.System);

    /// <summary>Which backend a socket with these options gets; refuses what cannot be had with the reason.</summary>
    public static UdpBackend Choose(UdpSocketOptions options) =>
        Choose(options, UdpCapabilities.Probe(), Switches.Backend);

    internal static UdpBackend Choose(
        UdpSocketOptions options, UdpCapabilities capabilities, UdpBackend? switched, EventThrottle? events = null)
    {
        UdpBackend wanted = options.Backend != UdpBackend.Automatic
            ? options.Backend
            : switched ?? throw new InvalidOperationException(Switches.BackendFault);
        if (wanted == UdpBackend.Automatic) wanted = options.PreferredBackend;
        UdpBackend chosen = wanted switch
        {
            UdpBackend.Automatic when capabilities.Mmsg.Available => UdpBackend.Mmsg,
            UdpBackend.Automatic => UdpBackend.Portable,
            UdpBackend.Mmsg when !capabilities.Mmsg.Available =>
                throw new PlatformNotSupportedException(
                    $"The Mmsg backend is not available here: {capabilities.Mmsg.Reason}."),
            UdpBackend.Uring when !capabilities.Uring.Available && options.Backend == UdpBackend.Uring =>
                throw new PlatformNotSupportedException(
                    $"The Uring backend is not available here: {capabilities.Uring.Reason}."),
            UdpBackend.Uring when !capabilities.Uring.Available =>
                capabilities.Mmsg.Available ? UdpBackend.Mmsg : UdpBackend.Portable,
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

    public static DatagramBackend Create(UdpBackend backend, SocketContext context)
    {
        SocketSetup.DisableCoalescedReceive(context.Socket);
        if (backend == UdpBackend.Portable) return new PortableBackend(context);
        UdpCapabilities capabilities = UdpCapabilities.Probe();
        bool coalesced = context.Options.CoalescedReceive && capabilities.CoalescedReceive.Available
            && SocketSetup.TryEnableCoalescedReceive(context.Socket);
        bool segmented = context.Options.SegmentedSend && capabilities.SegmentedSend.Available;
        if (backend == UdpBackend.Mmsg)
            return new MmsgBackend<LinuxSocketCalls>(context, coalesced, segmented, default);
        return CreateUring(context, coalesced, segmented);
    }

    private static UringBackend<LinuxUringCalls> CreateUring(SocketContext context, bool coalesced, bool segmented)
    {
        try
        {
            return new UringBackend<LinuxUringCalls>(
                context,
                coalesced,
                SenderFor(context, segmented),
                UringShape.For(coalesced, context.Options.RingPayloadBytes is not null),
                default);
        }
        catch (UringRefusedException refusal)
        {
            // The probe got a ring, so this is a limit that was reached since.
            throw new PlatformNotSupportedException(
                $"There is no further ring for this socket: {refusal.Message}.", refusal);
        }
    }

    private static MmsgBackend<LinuxSocketCalls> SenderFor(SocketContext context, bool segmented) =>
        new(context, coalescedReceive: false, segmented, default);

    private static void RefuseWhatPortableLacks(UdpSocketOptions options)
    {
        if (options.Metadata != UdpMetadata.None)
        {
            throw new PlatformNotSupportedException(
                $"The portable backend cannot tell {options.Metadata} of a datagram: "
                + "leave Metadata at None, or use the Mmsg backend on Linux.");
        }

        if (options.IcmpErrors)
        {
            throw new PlatformNotSupportedException(
                "The portable backend cannot attribute ICMP errors: "
                + "leave IcmpErrors off, or use the Mmsg backend on Linux.");
        }
    }
}
