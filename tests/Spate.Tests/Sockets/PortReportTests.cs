using System.Net;
using System.Net.Sockets;
using Spate.Buffers;
using Spate.Sockets;

namespace Spate.Tests.Sockets;

/// <summary>A closed port that a send is told of while receives wait.</summary>
public sealed class PortReportTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    public static TheoryData<UdpBackend> Backends => [UdpBackend.Portable, UdpBackend.Mmsg, UdpBackend.Uring];

    [Theory, MemberData(nameof(Backends))]
    public void Send_MeetsTheAnswerToAnEarlierOne_HasReceivesLook(UdpBackend backend)
    {
        Wine.SkipFor("icmp-errors-connected");
        using UdpSocket socket = Open(backend, out SocketContext context);
        int askedCount = 0;
        context.TryReceivesSoon = () => askedCount++;

        for (int i = 0; i < 2; i++) Assert.Equal(1, socket.Send([1]).Sent);

        Assert.True(context.IsPortUnreachable);
        Assert.Equal(1, askedCount);
    }

    [Theory, MemberData(nameof(Backends))]
    public async Task ReceiveFromAsync_WaitsWhileASendNotesTheAnswer_Throws(UdpBackend backend)
    {
        using UdpSocket socket = Open(backend, out SocketContext context);
        CancellationToken stop = TestContext.Current.CancellationToken;
        Task waiting = socket.ReceiveFromAsync(new byte[1], stop).AsTask();
        Assert.False(waiting.IsCompleted);

        context.NoteIcmpErrorOfSend(SocketError.ConnectionRefused);

        SocketException told = await Assert.ThrowsAsync<SocketException>(() => waiting.WaitAsync(Patience, stop));
        Assert.Equal(SocketError.ConnectionRefused, told.SocketErrorCode);
    }

    [Fact]
    public void Receive_BlocksWhileASendNotesTheAnswer_Throws()
    {
        const int foreverMilliseconds = -1;
        using UdpSocket socket = Open(UdpBackend.Portable, out SocketContext context);
        var receiver = new ReportingReceiver(new BlockingReceiver(context), context);

        Assert.Throws<SocketException>(() => receiver.ReceiveOne(default, foreverMilliseconds, out _));
        Assert.Throws<SocketException>(() => receiver.Receive(receiver.CreateSlots(1, 1), foreverMilliseconds));
    }

    [Fact]
    public void Throw_OneErrorAndTwoThreads_OneIsTold()
    {
        int roundCount = TestWidth.Of(500, full: 3000);
        using UdpSocket socket = Open(UdpBackend.Portable, out SocketContext context);
        using var start = new Barrier(2, _ => context.NoteIcmpError(SocketError.ConnectionRefused));
        int toldCount = 0;

        Thread other = new(Receives) { IsBackground = true };
        other.Start();
        Receives();
        other.Join();

        Assert.Equal(roundCount, toldCount);

        void Receives()
        {
            for (int i = 0; i < roundCount; i++)
            {
                start.SignalAndWait();
                try
                {
                    context.ThrowIfPortUnreachable();
                }
                catch (SocketException)
                {
                    Interlocked.Increment(ref toldCount);
                }
            }
        }
    }

    /// <summary>A socket whose peer is a port that nobody listens at.</summary>
    private static UdpSocket Open(UdpBackend backend, out SocketContext context)
    {
        UdpCapabilities capabilities = UdpCapabilities.Current;
        Assert.SkipUnless(backend != UdpBackend.Mmsg || capabilities.Mmsg.IsAvailable, capabilities.Mmsg.Reason);
        Assert.SkipUnless(backend != UdpBackend.Uring || capabilities.Uring.IsAvailable, capabilities.Uring.Reason);
        UdpSocketOptions options = new() { ReportPortUnreachable = true };
        UdpEndPoint closed = OwnAddress.New();
        Socket socket = SocketSetup.Open(AddressFamily.InterNetwork, options);
        SocketSetup.Apply(socket, options);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketSetup.Connect(socket, closed);
        context = new SocketContext(socket, options, closed);
        return new UdpSocket(context, BackendSelector.Open(backend, context));
    }

    /// <summary>Nothing comes; while it waits, a send is told that nobody listens.</summary>
    private sealed class BlockingReceiver(SocketContext context)
        : Receiver(context, new ReceiverTraits { PollDescriptor = context.Descriptor })
    {
        private const int MaxMilliseconds = 1000;

        public override ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes) =>
            new(slotCount, slotBytes, firstBytes);

        public override ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds) =>
            WaitReadable(timeoutMilliseconds);

        public override ReceiveStatus ReceiveOne(
            Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
        {
            datagram = default;
            return WaitReadable(timeoutMilliseconds);
        }

        public override ReceiveStatus WaitReadable(int timeoutMilliseconds)
        {
            Assert.InRange(timeoutMilliseconds, 0, MaxMilliseconds);
            Context.NoteIcmpErrorOfSend(SocketError.ConnectionRefused);
            return ReceiveStatus.TimedOut;
        }
    }
}
