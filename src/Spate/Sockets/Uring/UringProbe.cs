using System.Net;
using System.Net.Sockets;
using Spate.Buffers;

namespace Spate.Sockets.Uring;

/// <summary>Tests over loopback whether the Uring backend works. The test uses the backend's own receiver.</summary>
internal static class UringProbe
{
    private const int DatagramBytes = 100;
    private const int TimeoutMilliseconds = 40;

    /// <summary>
    /// Sends one datagram and receives it through a ring. Returns null if it arrived, otherwise the fault.
    /// </summary>
    /// <param name="makeSender">Makes a sender for the socket of the context.</param>
    /// <param name="seen">The result in words; empty after a fault.</param>
    /// <exception cref="UringRefusedException">The system refuses a ring.</exception>
    public static string? RoundTrip(Func<SocketContext, Sender> makeSender, out string seen)
    {
        seen = string.Empty;
        UdpSocketOptions options = new()
        {
            ReceiveBufferBytes = null,
            SendBufferBytes = null,
            SingleReader = true,
        };
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, options, default);
        UringShape shape = new(CompletionCount: 8, FirstBuffers: 2, MostBuffers: 2);
        UringReceiver<LinuxUringCalls> receiver = UringReceiver<LinuxUringCalls>.Open(
            context, coalesces: false, shape, default);
        try
        {
            byte[] payload = new byte[DatagramBytes];
            payload.AsSpan().Fill(7);
            var self = UdpEndPoint.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);
            makeSender(context).SendOne(payload, self, TimeoutMilliseconds);
            ReceiveSlots slots = receiver.CreateSlots(slotCount: 1, slotBytes: DatagramBytes);
            if (receiver.Receive(slots, TimeoutMilliseconds) != ReceiveStatus.Received)
            {
                return "a datagram over loopback did not arrive through the ring";
            }
            slots.Locate(0, out int offsetBytes, out int lengthBytes);
            if (!slots.ArrayOf(0).AsSpan(offsetBytes, lengthBytes).SequenceEqual(payload))
            {
                return "a datagram over loopback arrived corrupted";
            }
            seen = receiver.IsDeferred ? "received through a ring" : "received through a ring without deferred work";
            return null;
        }
        finally
        {
            receiver.Close();
        }
    }
}
