using System.Net;
using System.Net.Sockets;
using Spate.Buffers;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// Tests over loopback which features of the Mmsg backend work. The tests use the backend's own receiver and sender, so
/// the tested code is the code in use.
/// </summary>
internal static class MmsgProbe
{
    private const int DatagramBytes = 100;
    private const int DatagramCount = 3;
    private const int TimeoutMilliseconds = 1000;

    /// <summary>
    /// The likely reasons if no datagram arrives. In a new network namespace the loopback interface is down: sends
    /// fail, or datagrams are lost if the interface was up before.
    /// </summary>
    private const string LoopbackDown =
        "the loopback interface is down ('ip link set lo up' before the program starts), or a firewall drops them";

    // Every kernel that .NET supports has the call (recvmmsg(2): 2.6.33), so a container's filter refuses it.
    private const string CallRefused = "recvmmsg fails, as under a seccomp filter that does not allow it";

    public static string? RoundTrip(out string seen) =>
        Exchange(UdpMetadata.None, coalesced: false, segmented: false, out seen, out _);

    public static string? SegmentedSend(out string seen)
    {
        string? fault = Exchange(
            UdpMetadata.None, coalesced: false, segmented: true, out seen, out UdpCounters counters);
        if (fault is not null) return fault;
        return counters.GsoFallbacks > 0 ? "the kernel refused a GSO message on loopback" : null;
    }

    public static string? CoalescedReceive(out string seen)
    {
        string? fault = Exchange(
            UdpMetadata.None, coalesced: true, segmented: true, out seen, out UdpCounters counters);
        if (fault is not null) return fault;
        if (counters.BuffersReceived == DatagramCount && counters.MessagesSent == 1)
        {
            seen += ", not coalesced on loopback";
        }
        return null;
    }

    public static string? Metadata(out string seen)
    {
        const UdpMetadata all = UdpMetadata.LocalAddress | UdpMetadata.TrafficClass
            | UdpMetadata.TimeToLive | UdpMetadata.Timestamp;
        return Exchange(all, coalesced: false, segmented: false, out seen, out _);
    }

    private static string? Exchange(
        UdpMetadata metadata, bool coalesced, bool segmented, out string seen, out UdpCounters counters)
    {
        seen = string.Empty;
        counters = default;
        UdpSocketOptions options = new() { ReceiveBufferBytes = null, SendBufferBytes = null, Metadata = metadata };
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketSetup.EnableMetadata(socket, metadata);
        if (coalesced && !SocketSetup.TryEnableCoalescedReceive(socket)) return "UDP_GRO was refused";
        SocketContext context = new(socket, options, default);
        MmsgReceiver<LinuxSocketCalls> receiver = new(context, coalesced, default);
        MmsgSender<LinuxSocketCalls> sender = new(context, segmented, default);
        var self = UdpEndPoint.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);

        SendQueue outgoing = sender.CreateQueue(DatagramCount, DatagramCount * DatagramBytes);
        for (int i = 0; i < DatagramCount; i++)
        {
            outgoing.TryReserve(self, DatagramBytes, out Span<byte> payload);
            payload.Fill((byte)(i + 1));
        }

        SendResult sent = sender.Send(outgoing, TimeoutMilliseconds);
        if (sent.FirstError == SocketError.NetworkUnreachable) return $"no datagrams leave by loopback: {LoopbackDown}";
        if (!sent.AllSent) return $"sending over loopback failed: {sent.FirstError}, {sent.Status}";
        ReceiveSlots slots = receiver.CreateSlots(DatagramCount, ushort.MaxValue);
        int receivedCount = 0;
        while (receivedCount < DatagramCount)
        {
            if (receiver.Receive(slots, TimeoutMilliseconds) != ReceiveStatus.Received)
            {
                string reason = context.Counters.Read().UnknownErrors > 0 ? CallRefused : LoopbackDown;
                return $"{receivedCount} of {DatagramCount} datagrams arrived over loopback"
                    + (receivedCount == 0 ? $": {reason}" : string.Empty);
            }

            for (int i = 0; i < slots.Count; i++)
            {
                receivedCount++;
                ref ReceiveSlot slot = ref slots.Locate(i, out int offsetBytes, out int lengthBytes);
                Span<byte> payload = slots.ArrayOf(slot.SlotIndex).AsSpan(offsetBytes, lengthBytes);
                if (payload.Length != DatagramBytes || payload.ContainsAnyExcept((byte)receivedCount))
                {
                    return "datagrams arrived corrupted over loopback";
                }
                if (Missing(metadata, slots.InfoOf(slot.SlotIndex)) is { } missing)
                {
                    return $"{missing} did not arrive with the datagram";
                }
            }
        }

        counters = context.Counters.Read();
        seen = $"{DatagramCount} datagrams in {counters.MessagesSent} messages out, "
            + $"{counters.BuffersReceived} buffers in";
        return null;
    }

    private static string? Missing(UdpMetadata metadata, in DatagramInfo datagram)
    {
        if (metadata.HasFlag(UdpMetadata.LocalAddress) && datagram.LocalAddress.IsDefault) return "the local address";
        if (metadata.HasFlag(UdpMetadata.TrafficClass) && datagram.TrafficClass is null) return "the traffic class";
        if (metadata.HasFlag(UdpMetadata.TimeToLive) && datagram.TimeToLive is null) return "the TTL";
        return metadata.HasFlag(UdpMetadata.Timestamp) && datagram.TimestampUnixNanoseconds is null
            ? "the time stamp"
            : null;
    }
}
