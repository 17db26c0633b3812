using System.Net;
using System.Net.Sockets;
using Spate.Buffers;

namespace Spate.Sockets.Winsock;

/// <summary>
/// Tries the backend Winsock over loopback, with its own receiver and sender: the tried code is the code in use.
/// </summary>
internal static partial class WinsockProbe
{
    private const int DatagramBytes = 100;
    private const int DatagramCount = 3;

    public static string? RoundTrip(out string seen)
    {
        string? fault = Exchange(UdpMetadata.None, out UdpCounters counters);
        seen = fault is null
            ? $"{counters.DatagramsReceived} datagrams in {counters.ReceiveCalls} receives"
            : string.Empty;
        return fault;
    }

    /// <summary>Receives datagrams with all metadata that Windows reports.</summary>
    public static string? Metadata(out string seen)
    {
        const UdpMetadata all = UdpMetadata.LocalAddress | UdpMetadata.TrafficClass | UdpMetadata.TimeToLive;
        seen = "local address, traffic class, TTL";
        return Exchange(all, out _);
    }

    private static string? Exchange(UdpMetadata metadata, out UdpCounters counters)
    {
        counters = default;
        UdpSocketOptions options = new() { ReceiveBufferBytes = null, SendBufferBytes = null, Metadata = metadata };
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketSetup.EnableMetadata(socket, metadata);
        SocketContext context = new(socket, options, default);
        var receiver = WinsockReceiver<WinsockCalls>.Open(context, coalesces: false, default);
        try
        {
            WinsockSender<WinsockSendCalls> sender = new(
                context, maxSegmentCount: 1, takesTrafficClass: false, default);
            byte[] payload = new byte[DatagramBytes];
            for (int i = 0; i < DatagramCount; i++)
            {
                payload.AsSpan().Fill((byte)(i + 1));
                SendResult sent = sender.SendOne(payload, SelfOf(socket), PatienceMilliseconds);
                if (!sent.AllSent) return $"sending over loopback failed: {sent.FirstError}, {sent.Status}";
            }

            string? fault = Receive(receiver, metadata);
            counters = context.Counters.Read();
            return fault;
        }
        finally
        {
            receiver.Close();
        }
    }

    private static string? Receive(WinsockReceiver<WinsockCalls> receiver, UdpMetadata metadata)
    {
        ReceiveSlots slots = receiver.CreateSlots(DatagramCount, DatagramBytes);
        int receivedCount = 0;
        while (receivedCount < DatagramCount)
        {
            if (receiver.Receive(slots, PatienceMilliseconds) != ReceiveStatus.Received)
            {
                return $"{receivedCount} of {DatagramCount} datagrams arrived over loopback";
            }

            for (int i = 0; i < slots.Count; i++)
            {
                receivedCount++;
                ref ReceiveSlot slot = ref slots.Locate(i, out int offsetBytes, out int lengthBytes);
                Span<byte> payload = slots.ArrayOf(slot.SlotIndex).AsSpan(offsetBytes, lengthBytes);
                bool isSent = payload.Length == DatagramBytes && !payload.ContainsAnyExcept((byte)receivedCount);
                if (!isSent) return OtherBytes;
                if (metadata != UdpMetadata.None && MissingIn(slots.InfoOf(slot.SlotIndex)) is { } missing)
                {
                    return $"{missing} did not arrive with the datagram";
                }
            }
        }

        return null;
    }

    private static string? MissingIn(in DatagramInfo datagram)
    {
        if (datagram.LocalAddress.IsDefault) return "the local address";
        if (datagram.TrafficClass is null) return "the traffic class";
        return datagram.TimeToLive is null ? "the TTL" : null;
    }
}
