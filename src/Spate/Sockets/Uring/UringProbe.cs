using System.Net;
using System.Net.Sockets;

namespace Spate.Sockets.Uring;

/// <summary>Tries the Uring backend over loopback with the backend itself.</summary>
internal static class UringProbe
{
    private const int DatagramBytes = 100;
    private const int TimeoutMilliseconds = 40;

    /// <summary>Null and what was seen, or why not.</summary>
    /// <param name="makeSender">A backend that sends, for the socket of the context.</param>
    /// <param name="seen">What was seen.</param>
    /// <exception cref="UringRefusedException">The system gives no ring.</exception>
    public static string? RoundTrip(Func<SocketContext, DatagramBackend> makeSender, out string seen)
    {
        seen = string.Empty;
        UdpSocketOptions options = new()
        {
            ReceiveBufferBytes = null,
            SendBufferBytes = null,
            OneReceivingThread = true,
        };
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, options, default);
        UringShape shape = new(CompletionCount: 8, FirstBuffers: 2, MostBuffers: 2);
        UringBackend<LinuxUringCalls> backend = new(
            context, coalescedReceive: false, makeSender(context), shape, default);
        try
        {
            byte[] payload = new byte[DatagramBytes];
            payload.AsSpan().Fill(7);
            var self = UdpEndPoint.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);
            backend.SendOne(payload, self, TimeoutMilliseconds);
            using ReceiveBatch batch = new(UdpBackend.Uring, slotCount: 1, slotBytes: DatagramBytes);
            if (backend.Receive(batch, TimeoutMilliseconds) != ReceiveStatus.Received)
                return "a datagram over loopback did not arrive through the ring";
            if (!batch[0].Payload.SequenceEqual(payload)) return "a datagram over loopback came back changed";
            seen = backend.IsDeferred ? "received through a ring" : "received through a ring without deferred work";
            return null;
        }
        finally
        {
            backend.Close();
        }
    }
}
