using System.Net;
using System.Net.Sockets;
using Spate.Buffers;

namespace Spate.Sockets.Rio;

/// <summary>Tests over loopback whether the Rio backend works. The test uses the backend's own receiver.</summary>
internal static class RioProbe
{
    private const int DatagramBytes = 100;
    private const int TimeoutMilliseconds = 1000;

    /// <summary>
    /// Sends one datagram and receives it through Registered I/O. Returns null if it arrived, otherwise the fault.
    /// </summary>
    /// <param name="seen">The result in words; empty after a fault.</param>
    /// <exception cref="SocketException">The system refuses.</exception>
    /// <exception cref="PlatformNotSupportedException">The system has no Registered I/O.</exception>
    public static string? RoundTrip(out string seen)
    {
        seen = string.Empty;
        using Socket socket = SocketSetup.CreateRegistered(AddressFamily.InterNetwork);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, new UdpSocketOptions(), default);
        RioReceiver<WindowsRioCalls> receiver = RioReceiver<WindowsRioCalls>.Open(
            context, new RioShape(SlotCount: 4, DatagramBytes), WindowsRioCalls.Of(socket));
        try
        {
            byte[] payload = new byte[DatagramBytes];
            payload.AsSpan().Fill(7);
            using Socket sender = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            sender.SendTo(payload, socket.LocalEndPoint!);
            ReceiveSlots slots = receiver.CreateSlots(slotCount: 1, slotBytes: DatagramBytes);
            if (receiver.Receive(slots, TimeoutMilliseconds) != ReceiveStatus.Received)
            {
                return "a datagram over loopback did not arrive through Registered I/O";
            }

            slots.Locate(0, out int offsetBytes, out int lengthBytes);
            if (!slots.ArrayOf(0).AsSpan(offsetBytes, lengthBytes).SequenceEqual(payload))
            {
                return "a datagram over loopback arrived corrupted";
            }

            seen = "received through Registered I/O";
            return null;
        }
        finally
        {
            receiver.Close();
        }
    }
}
