using System.Net;
using System.Net.Sockets;
using Spate.Buffers;
using Spate.Sockets;
using Spate.Sockets.Portable;
using Spate.Tests.Waiting;
using Spate.Waiting;

namespace Spate.Tests;

/// <summary>A step of a close that throws keeps none of the others from being run.</summary>
public sealed class CloseStepsTests
{
    [Fact]
    public void Close_SeveralStepsThrow_AllAreRunAndTheFirstExceptionIsThrown()
    {
        Socket inner = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        inner.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(inner, new UdpSocketOptions(), default);
        FaultyReceiver receiver = new(context);
        UdpSocket socket = new(context, new BackendPair(UdpBackend.Portable, receiver, new PortableSender(context)));
        using PollSource source = new(
            new WrappedEventSet(new PortableEventSet(isShared: true), static request => request())
            {
                OnRemove = static () => throw new FormatException("of the set"),
            });
        using UdpPoller<int> poller = new(source);
        poller.Add(socket, 0);

        Assert.Throws<FormatException>(socket.Close);

        Assert.True(receiver.IsClosed);
        Assert.True(inner.SafeHandle.IsClosed);
        socket.Dispose();
    }

    private sealed class FaultyReceiver(SocketContext context)
        : Receiver(context, new ReceiverTraits { PollDescriptor = context.Descriptor })
    {
        public bool IsClosed { get; private set; }

        public override ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes) =>
            throw new NotSupportedException();

        public override ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds) =>
            throw new NotSupportedException();

        public override ReceiveStatus ReceiveOne(
            Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram) =>
            throw new NotSupportedException();

        public override ReceiveStatus WaitReadable(int timeoutMilliseconds) => throw new NotSupportedException();

        public override void Close()
        {
            IsClosed = true;
            throw new InvalidOperationException("of the receiver");
        }
    }
}
