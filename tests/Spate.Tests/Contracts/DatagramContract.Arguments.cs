using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>What cannot be meant is an argument error, before anything is sent.</summary>
public abstract partial class DatagramContract
{
    private static readonly UdpEndPoint PortZero = UdpEndPoint.Loopback(0);

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Send_PortZeroAmongOthers_IsRefusedAndTheRestGoesOn(Form form)
    {
        UdpSocket socket = BindLoopback();
        UdpEndPoint self = socket.LocalEndPoint;
        List<Outgoing> datagrams = [];
        for (int i = 0; i < 30; i++) datagrams.Add(new(i % 3 == 1 ? PortZero : self, Payloads.Make(50, i)));

        SendResult result = await SendAllAsync(form, socket, datagrams);

        Assert.Equal(new SendResult(20, 10, 0, SocketError.InvalidArgument, SendStatus.Done), result);
        IEnumerable<byte[]> expected = datagrams.Where(to => to.Peer == self).Select(to => to.Payload);
        Assert.Equal(expected, await ReceivePayloadsAsync(form, socket, 20));
        UdpCounters counters = socket.GetCounters();
        Assert.Equal((20, 10, 0), (counters.DatagramsSent, counters.DatagramsRefused, counters.GsoFallbacks));
        Assert.Throws<ArgumentException>(() => Connect(PortZero));
    }

    [Fact]
    public void TryForward_PortZero_IsRefusedWhenSent()
    {
        UdpSocket socket = BindLoopback();
        SendNow(socket, socket.LocalEndPoint, [1]);
        using SendBatch batch = socket.CreateSendBatch();
        using ReceiveBatch source = socket.CreateReceiveBatch();
        Assert.Equal(ReceiveStatus.Received, socket.Receive(source));
        Assert.True(batch.TryForward(source[0], PortZero));
        Assert.True(batch.TryForward(source[0], socket.LocalEndPoint));

        Assert.Equal(new SendResult(1, 1, 0, SocketError.InvalidArgument, SendStatus.Done), socket.Send(batch));
    }

    [Fact]
    public void Send_NoPeerAndNotConnected_IsRefusedWithoutAnException()
    {
        UdpSocket socket = BindLoopback();

        SendResult[] results = [socket.Send([1]), socket.TrySend([1]), socket.SendTo([1], default)];

        Assert.All(results, result => Assert.Equal((0, 1), (result.Sent, result.Refused)));
        Assert.DoesNotContain(SocketError.Success, results.Select(result => result.FirstError));
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the error code is Linux's");
        Assert.All(results, result => Assert.Equal(SocketError.DestinationAddressRequired, result.FirstError));
    }

    [Fact]
    public async Task Send_ImpossibleLength_IsAnArgumentError()
    {
        UdpSocket socket = BindLoopback();
        UdpEndPoint self = socket.LocalEndPoint;
        byte[] tooLong = new byte[SendBatch.MaxPayloadBytes + 1];
        using SendBatch batch = socket.CreateSendBatch();

        Assert.Throws<ArgumentOutOfRangeException>(() => batch.TryReserve(self, -1, out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => batch.TryReserve(self, tooLong.Length, out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => batch.TryReserve(tooLong.Length, out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => batch.TryAdd(tooLong, self));
        Assert.Throws<ArgumentOutOfRangeException>(() => socket.SendTo(tooLong, self));
        Assert.Throws<ArgumentOutOfRangeException>(() => socket.TrySendTo(tooLong, self));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            async () => await socket.SendToAsync(tooLong, self, Stop));

        Assert.Equal(0, batch.Count);
        Assert.Equal((0, 0), (socket.GetCounters().DatagramsSent, socket.GetCounters().DatagramsRefused));
    }

    [Fact]
    public void Receive_NegativeTimeout_IsAnArgumentError()
    {
        UdpSocket socket = BindLoopback();
        using ReceiveBatch incoming = socket.CreateReceiveBatch();
        using SendBatch outgoing = socket.CreateSendBatch();
        TimeSpan negative = TimeSpan.FromMilliseconds(-2);

        var refused = Assert.Throws<ArgumentOutOfRangeException>(() => socket.Receive(incoming, negative));
        Assert.StartsWith(
            "timeout must be 0 or more, or Timeout.InfiniteTimeSpan for no limit.", refused.Message,
            StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => socket.ReceiveFrom(new byte[1], negative, out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => socket.Send(outgoing, negative));
    }

    [Theory, InlineData(-1, null), InlineData(0, null), InlineData(1025, null)]
    [InlineData(null, -1), InlineData(null, 0), InlineData(null, 65_536)]
    public void CreateReceiveBatch_ImpossibleShape_IsAnArgumentError(int? slotCount, int? slotBytes)
    {
        UdpSocket socket = BindLoopback();

        Assert.Throws<ArgumentOutOfRangeException>(
            () => socket.CreateReceiveBatch(new() { SlotCount = slotCount, SlotBytes = slotBytes }));
    }

    [Theory, InlineData(-1, null), InlineData(0, null), InlineData(65_537, null)]
    [InlineData(null, -1), InlineData(null, 0), InlineData(null, 65_526), InlineData(null, int.MaxValue)]
    public void CreateSendBatch_ImpossibleShape_IsAnArgumentError(int? capacity, int? bufferBytes)
    {
        UdpSocket socket = BindLoopback();

        Assert.Throws<ArgumentOutOfRangeException>(
            () => socket.CreateSendBatch(new() { Capacity = capacity, BufferBytes = bufferBytes }));
    }

    [Fact]
    public void Bind_WithoutAddress_IsAnArgumentError()
    {
        string bind = Assert.Throws<ArgumentException>(() => Bind(default)).Message;
        string connect = Assert.Throws<ArgumentException>(() => Connect(default)).Message;
        Assert.Contains("UdpEndPoint.Any(9999)", bind, StringComparison.Ordinal);
        Assert.Contains("UdpEndPoint.Loopback(9999)", connect, StringComparison.Ordinal);
        Assert.Throws<ArgumentNullException>(() => UdpSocket.FromSocket(null!));
    }

    [Theory, InlineData(""), InlineData("sixteen-letters0"), InlineData("ŝŝŝŝŝŝŝŝ"), InlineData("lo\0")]
    public void Bind_ImpossibleDevice_IsAnArgumentError(string device) =>
        Assert.Throws<ArgumentException>(() => BindLoopback(Options(device: device)));

    [Fact]
    public void Bind_ImpossibleOption_IsAnArgumentErrorThatNamesIt()
    {
        Refused(new() { Backend = (UdpBackend)99 }, "Backend");
        Refused(Options(fragmentation: (UdpFragmentation)99), "Fragmentation");
        Refused(Options(metadata: (UdpMetadata)0x100), "Metadata");
        Refused(Options(receiveBufferBytes: -1), "ReceiveBufferBytes");
        Refused(Options(receiveBufferBytes: 0), "ReceiveBufferBytes");
        Refused(Options(receiveBufferBytes: int.MaxValue), "ReceiveBufferBytes");
        Refused(new() { Backend = _backend, SendBufferBytes = -1 }, "SendBufferBytes");
        Refused(new() { Backend = _backend, TimeProvider = null! }, "TimeProvider");

        void Refused(UdpSocketOptions options, string name) =>
            Assert.Equal(name, Assert.ThrowsAny<ArgumentException>(() => BindLoopback(options)).ParamName);
    }

    [Theory, InlineData(0), InlineData(256)]
    public void Bind_ImpossibleTimeToLive_IsAnArgumentError(int timeToLive) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => BindLoopback(Options(timeToLive: timeToLive)));

    [Theory, InlineData(-1), InlineData(256)]
    public void Bind_ImpossibleTrafficClass_IsAnArgumentError(int trafficClass)
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => BindLoopback(Options(trafficClass: trafficClass)));
        Assert.Throws<ArgumentOutOfRangeException>(() => new SendControl { TrafficClass = trafficClass });
    }

    [Fact]
    public async Task Call_WithoutBatch_IsAnArgumentError()
    {
        UdpSocket socket = BindLoopback();

        Assert.Throws<ArgumentNullException>(() => socket.Receive(null!));
        Assert.Throws<ArgumentNullException>(() => socket.Send((SendBatch)null!));
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await socket.ReceiveAsync(null!, Stop));
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await socket.SendAsync((SendBatch)null!, Stop));
    }

    [Fact]
    public void Call_DisposedBatch_Throws()
    {
        UdpSocket socket = BindLoopback();
        ReceiveBatch incoming = socket.CreateReceiveBatch();
        SendBatch outgoing = socket.CreateSendBatch();
        incoming.Dispose();
        outgoing.Dispose();
        outgoing.Dispose();

        Assert.Throws<ObjectDisposedException>(() => socket.TryReceive(incoming));
        Assert.Throws<ObjectDisposedException>(() => socket.Send(outgoing));
        Assert.Throws<ObjectDisposedException>(() => outgoing.TryAdd([1], socket.LocalEndPoint));
    }

    [Fact]
    public void Call_BatchOfAnotherBackend_IsAnArgumentError()
    {
        UdpBackend other = _backend == UdpBackend.Portable ? UdpBackend.Mmsg : UdpBackend.Portable;
        if (other == UdpBackend.Mmsg) Require(UdpCapabilities.Current.Mmsg);
        UdpSocket socket = BindLoopback();
        UdpSocket foreign = BindLoopback(new UdpSocketOptions { Backend = other });
        using ReceiveBatch incoming = foreign.CreateReceiveBatch();
        using SendBatch outgoing = foreign.CreateSendBatch();

        Assert.Throws<ArgumentException>(() => socket.TryReceive(incoming));

        // The batches that Winsock, Rio and Portable send have one layout.
        if (_backend is UdpBackend.Winsock or UdpBackend.Rio) Assert.Equal(0, socket.Send(outgoing).Sent);
        else Assert.Throws<ArgumentException>(() => socket.Send(outgoing));
    }

    [Fact]
    public void Receive_SlotsTooSmallForGsoMessages_IsAnArgumentErrorWhereTheyCome()
    {
        UdpSocket plain = BindLoopback(Options(coalesced: false));
        UdpSocket socket = BindLoopback();
        using ReceiveBatch small = plain.CreateReceiveBatch(new ReceiveBatchOptions { SlotBytes = 65_534 });

        if (_coalesces) Assert.Throws<ArgumentException>(() => socket.TryReceive(small));
        else Assert.Equal(ReceiveStatus.Empty, socket.TryReceive(small));
    }
}
