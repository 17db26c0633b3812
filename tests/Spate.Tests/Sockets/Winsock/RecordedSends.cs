using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;
using Spate.Messages;
using Spate.Sockets;
using Spate.Sockets.Portable;
using Spate.Sockets.Winsock;

namespace Spate.Tests.Sockets.Winsock;

/// <summary>One accepted call of WSASendMsg.</summary>
/// <param name="Peer">The name; default if the call named none.</param>
/// <param name="SegmentBytes">The segment size of the call; 0 without one.</param>
/// <param name="PieceCount">The number of buffers.</param>
/// <param name="Payload">The bytes of all buffers.</param>
/// <param name="Controls">The other control messages: level, type and data.</param>
internal sealed record RecordedMessage(
    UdpEndPoint Peer,
    int SegmentBytes,
    int PieceCount,
    byte[] Payload,
    IReadOnlyList<(int Level, int Type, byte[] Data)> Controls);

/// <summary>
/// A network of messages that were sent by WSASendMsg, for a sender whose calls fail as scheduled. Nothing reaches the
/// system, so this runs on every system.
/// </summary>
internal sealed class RecordedSends
{
    public FaultSchedule Faults { get; } = new();

    public List<RecordedMessage> Messages { get; } = [];

    /// <summary>The numbers of the datagrams to a peer, in the order in which they were sent.</summary>
    public List<int> NumbersTo(UdpEndPoint peer) => [.. Messages
        .Where(message => message.Peer == peer)
        .SelectMany(DatagramsOf)
        .Select(static datagram => BitConverter.ToInt32(datagram))];

    /// <summary>The datagrams that the system makes of a message.</summary>
    public static IEnumerable<byte[]> DatagramsOf(RecordedMessage message) => message.SegmentBytes == 0
        ? [message.Payload]
        : message.Payload.Chunk(message.SegmentBytes);

    public UdpSocket Bind(int maxSegmentCount = 1, UdpSocketOptions? options = null, bool takesTrafficClass = true) =>
        Open(AddressFamily.InterNetwork, default, maxSegmentCount, options, takesTrafficClass);

    public UdpSocket Open(
        AddressFamily family,
        UdpEndPoint remote,
        int maxSegmentCount = 1,
        UdpSocketOptions? options = null,
        bool takesTrafficClass = true)
    {
        options ??= new UdpSocketOptions();
        Socket socket = SocketSetup.Open(family, options);
        socket.Bind(new IPEndPoint(
            family == AddressFamily.InterNetwork ? IPAddress.Loopback : IPAddress.IPv6Loopback, 0));
        SocketContext context = new(socket, options, remote);
        WinsockSender<Calls> sender = new(context, maxSegmentCount, takesTrafficClass, new Calls(this));
        return new UdpSocket(context, new BackendPair(UdpBackend.Winsock, new PortableReceiver(context), sender));
    }

    internal readonly unsafe struct Calls(RecordedSends record) : IWinsockSendCalls
    {
        public int SendMessage(nint socket, WSAMSG* message)
        {
            RecordedMessage read = Read(message);
            OfferedMessage offered = new(read.Peer, read.SegmentBytes);
            record.Faults.SendCalls++;
            record.Faults.Before(offered.Kind);
            int error = record.Faults.TakeMessage(offered);
            if (error == 0) record.Messages.Add(read);
            return error;
        }

        public bool WaitWritable(Socket socket, int timeoutMilliseconds) =>
            record.Faults.Take(CallKind.Poll) == 0 && record.Faults.PollAnswer(timeoutMilliseconds) is not 0;

        private static RecordedMessage Read(WSAMSG* message)
        {
            // SAFETY: the sender fills the message for the length of the call.
            List<byte> payload = [];
            for (int i = 0; i < message->dwBufferCount; i++)
                payload.AddRange(new ReadOnlySpan<byte>(message->lpBuffers[i].buf, (int)message->lpBuffers[i].len));
            Assert.Equal(message->name == null, message->namelen == 0);
            Assert.Equal(message->Control.buf == null, message->Control.len == 0);
            UdpEndPoint peer = default;
            if (message->name != null)
            {
                Assert.True(message->namelen is 16 or 28);
                new ReadOnlySpan<byte>(message->name, message->namelen).CopyTo(
                    MemoryMarshal.AsBytes(new Span<UdpEndPoint>(ref peer)));
            }

            var reader = new ControlMessageReader(
                new ReadOnlySpan<byte>(message->Control.buf, (int)message->Control.len));
            int segmentBytes = 0;
            List<(int Level, int Type, byte[] Data)> controls = [];
            while (reader.TryRead(out ControlMessage control))
            {
                bool isSize = control.Level == Ws2IpDef.IPPROTO_UDP && control.Type == Ws2IpDef.UDP_SEND_MSG_SIZE;
                if (isSize) Assert.Equal(sizeof(uint), control.Data.Length);
                if (isSize) segmentBytes = MemoryMarshal.Read<int>(control.Data);
                else controls.Add((control.Level, control.Type, control.Data.ToArray()));
            }

            return new RecordedMessage(
                peer, segmentBytes, (int)message->dwBufferCount, [.. payload], controls);
        }
    }
}
