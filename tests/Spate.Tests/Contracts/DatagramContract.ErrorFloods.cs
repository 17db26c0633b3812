using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Spate.Tests.Contracts;

/// <summary>Many errors in a row: they are told, taken out of the kernel, and hold up no datagram.</summary>
public abstract partial class DatagramContract
{
    // For SO_TIMESTAMPING, 37 of SOL_SOCKET: of sends, by the software of the device and of its queue, told without the
    // datagram.
    private const int SendTimeStamps = (1 << 1) | (1 << 4) | (1 << 8) | (1 << 11);

    private const int FloodCount = 500;

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_HundredsOfIcmpErrorsFirst_HearsTheNextDatagram(Form form)
    {
        if (!TryBindWithIcmpErrors(UdpEndPoint.Loopback(0), out UdpSocket socket)) return;
        UdpSocket live = BindLoopback();
        UdpEndPoint dead = OwnAddress.New();
        Task<List<byte[]>> receiving = Task.Run(() => ReceivePayloadsAsync(form, socket, 1), Stop);

        FloodWithErrors(socket, dead, FloodCount);

        // One by one they are no error that lasts, which would be paused for.
        Assert.Equal(0, socket.GetCounters().UnknownErrors);
        SendNow(live, socket.LocalEndPoint, [7]);
        Assert.Equal([[7]], await receiving);
    }

    [Theory]
    [InlineData(Form.Batch)]
    [InlineData(Form.BatchTimed)]
    [InlineData(Form.One)]
    [InlineData(Form.OneTimed)]
    public async Task Receive_ConnectedPeerDeadForLong_HearsItWhenItIsBack(Form form)
    {
        SkipWhereIcmpErrorsAreSilenced();
        UdpEndPoint dead = OwnAddress.New();
        UdpSocket socket = Connect(dead);
        Task<List<byte[]>> receiving = Task.Run(() => ReceivePayloadsAsync(form, socket, 1), Stop);

        FloodWithErrors(socket, dead, FloodCount);
        UdpSocket back = Bind(dead);
        SendNow(back, socket.LocalEndPoint, [7]);

        Assert.Equal([[7]], await receiving);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_AdoptedWithErrorQueue_EmptiesIt(Form form)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "error queues exist on Linux only");
        Socket bound = NewBound();
        bound.SetRawSocketOption(0, 11, BitConverter.GetBytes(1));

        await AssertQueueStaysEmptyAsync(form, Own(UdpSocket.FromSocket(bound, Options())));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_ErrorQueueTurnedOnByNumbers_EmptiesIt(Form form)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "error queues exist on Linux only");
        UdpSocket socket = BindLoopback();
        socket.SetRawSocketOption(0, 11, BitConverter.GetBytes(1));

        await AssertQueueStaysEmptyAsync(form, socket);
    }

    [Fact]
    public void TryReceiveIcmpError_TimeStampsInTheQueue_AreNotTakenForErrors()
    {
        if (!TryBindWithIcmpErrors(UdpEndPoint.Loopback(0), out UdpSocket socket)) return;
        UdpSocket live = BindLoopback();
        UdpEndPoint dead = OwnAddress.New();

        socket.SetRawSocketOption(1, 37, BitConverter.GetBytes(SendTimeStamps));
        SendNow(socket, live.LocalEndPoint, [1], [2]);
        Eventually(() => QueuedBytes(socket) > 0, "a time stamp was queued");
        SendNow(socket, dead, [3]);

        UdpIcmpError error = default;
        Eventually(() => socket.TryReceiveIcmpError(out error), "the error came");
        Assert.Equal((dead, SocketError.ConnectionRefused), (error.Peer, error.Error));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_TimeStampsInTheQueue_AreNotCountedAsErrors(Form form)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "error queues exist on Linux only");
        UdpSocket socket = BindLoopback();
        UdpSocket live = BindLoopback();
        socket.SetRawSocketOption(1, 37, BitConverter.GetBytes(SendTimeStamps));
        Task<List<byte[]>> receiving = Task.Run(() => ReceivePayloadsAsync(form, socket, 1), Stop);
        SendNow(socket, live.LocalEndPoint, [1], [2]);

        Eventually(() => QueuedBytes(socket) == 0, "the queue of errors was empty");
        SendNow(live, socket.LocalEndPoint, [7]);
        Assert.Equal([[7]], await receiving);
        Assert.Equal(0, socket.GetCounters().IcmpErrors);
    }

    [Fact]
    public async Task ReceiveAsync_TimeStampsWhileItWaits_QueueOfErrorsIsEmptied()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "error queues exist on Linux only");
        UdpSocket socket = BindLoopback();
        UdpSocket live = BindLoopback();
        socket.SetRawSocketOption(1, 37, BitConverter.GetBytes(SendTimeStamps));
        byte[] buffer = new byte[8];

        // The call waits when it returns, so no first look of its own can take the stamps.
        ValueTask<ReceivedDatagram> receiving = socket.ReceiveFromAsync(buffer, Stop);
        Assert.False(receiving.IsCompleted);
        SendNow(socket, live.LocalEndPoint, [1], [2]);

        Eventually(() => QueuedBytes(socket) == 0, "the queue of errors was empty");
        SendNow(live, socket.LocalEndPoint, [7]);
        Assert.Equal(1, (await receiving).Length);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_OwnDatagramsTooLong_QueueOfErrorsIsEmptied(Form form)
    {
        // IPv6 alone queues what was too long (ipv6_local_error).
        RequireIPv6();
        if (!IsOfLinux) return;
        UdpSocket socket = Bind(
            UdpEndPoint.IPv6Loopback(0), Options(icmpErrors: true, fragmentation: UdpFragmentation.DontFragment));
        UdpSocket live = Bind(UdpEndPoint.IPv6Loopback(0));
        Task<List<byte[]>> receiving = Task.Run(() => ReceivePayloadsAsync(form, socket, 1), Stop);
        byte[] tooLong = new byte[65_510];
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal(1, socket.SendTo(tooLong, live.LocalEndPoint).Refused);
            Eventually(() => QueuedBytes(socket) == 0, "the queue of errors was empty");
        }

        SendNow(live, socket.LocalEndPoint, [7]);
        Assert.Equal([[7]], await receiving);
    }

    // IP_RECVERR is 11 of SOL_IP, which is 0 (ip.7).
    private async Task AssertQueueStaysEmptyAsync(Form form, UdpSocket socket)
    {
        UdpSocket live = BindLoopback();
        UdpEndPoint dead = OwnAddress.New();
        Task<List<byte[]>> receiving = Task.Run(() => ReceivePayloadsAsync(form, socket, 1), Stop);
        FloodWithErrors(socket, dead, 20);

        Eventually(() => QueuedBytes(socket) == 0, "the queue of errors was empty");
        Assert.False(receiving.IsCompleted);
        SendNow(live, socket.LocalEndPoint, [7]);
        Assert.Equal([[7]], await receiving);
    }

    // One after the other, so that none is told by the send of the next. An error that is queued while another is taken
    // out may also lose its announcement (sock_dequeue_err_skb) and lie there until the next one.
    private void FloodWithErrors(UdpSocket socket, UdpEndPoint dead, int count)
    {
        for (int i = 0; i < count; i++)
        {
            long before = socket.GetCounters().IcmpErrors;
            Assert.Equal(1, socket.SendTo([1], dead).Sent);
            Eventually(() => socket.GetCounters().IcmpErrors > before, $"error {i + 1} of {count} was told");
        }
    }

    // SO_MEMINFO (55 of SOL_SOCKET, which is 1): the first number is what lies in the receive queue and in that of
    // errors.
    private static int QueuedBytes(UdpSocket socket)
    {
        Span<uint> numbers = stackalloc uint[9];
        socket.GetRawSocketOption(1, 55, MemoryMarshal.AsBytes(numbers));
        return (int)numbers[0];
    }
}
