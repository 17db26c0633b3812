namespace Spate.Tests.Contracts;

/// <summary>Sending on what was received, without a copy.</summary>
public abstract partial class DatagramContract
{
    [Fact]
    public async Task TryForward_SourceReceivesAgain_PayloadsStayIntact()
    {
        UdpSocket origin = BindLoopback();
        UdpSocket relay = BindLoopback();
        UdpSocket target = BindLoopback();
        using ReceiveBatch source = relay.CreateReceiveBatch(new() { SlotCount = 2 });
        using SendBatch outgoing = relay.CreateSendBatch();
        for (int round = 0; round < 10; round++)
        {
            // Nothing is sent between the rounds, so every receive meets buffers that are held.
            SendNow(origin, relay.LocalEndPoint, Payloads.Make(400, round));
            Assert.Equal(ReceiveStatus.Received, relay.Receive(source));
            Assert.True(outgoing.TryForward(source[0], target.LocalEndPoint));
        }

        Assert.Equal(10, relay.Send(outgoing).Sent);

        List<Incoming> received = await ReceiveAllAsync(Form.Batch, target, 10);
        Assert.Equal(Payloads.Same(10, 400), received.Select(datagram => datagram.Payload));
        Assert.All(received, datagram => Assert.Equal(relay.LocalEndPoint, datagram.Peer));
    }

    [Theory, InlineData(500, 500), InlineData(500, 77), InlineData(1, 1), InlineData(1400, 1399)]
    public async Task TryForward_GsoMessage_ArrivesInOrderWithItsBounds(int lengthBytes, int lastBytes)
    {
        UdpSocket origin = BindLoopback();
        UdpSocket relay = BindLoopback();
        UdpSocket target = BindLoopback();
        byte[][] payloads = [.. Payloads.Same(40, lengthBytes), Payloads.Make(lastBytes, 40)];
        await SendPayloadsAsync(Form.Batch, origin, relay.LocalEndPoint, payloads);

        ForwardAll(relay, payloads.Length, target.LocalEndPoint);

        Assert.Equal(payloads, await ReceivePayloadsAsync(Form.Batch, target, payloads.Length));
    }

    [Fact]
    public async Task TryForward_AmongReservations_EachPeerGetsItsOwn()
    {
        UdpSocket origin = BindLoopback();
        UdpSocket relay = BindLoopback();
        UdpSocket[] targets = [BindLoopback(), BindLoopback()];
        byte[][] payloads = Payloads.Of(100, 100, 0, 100, 20, 100);
        await SendPayloadsAsync(Form.Batch, origin, relay.LocalEndPoint, payloads);
        using ReceiveBatch source = relay.CreateReceiveBatch();
        using SendBatch outgoing = relay.CreateSendBatch();
        int count = 0;
        while (count < payloads.Length)
        {
            Assert.Equal(ReceiveStatus.Received, relay.Receive(source));
            foreach (Datagram datagram in source)
            {
                Assert.True(outgoing.TryForward(datagram, targets[count % 2].LocalEndPoint));
                Assert.True(outgoing.TryAdd([(byte)count], targets[count % 2].LocalEndPoint));
                count++;
            }
        }

        Assert.Equal(12, relay.Send(outgoing).Sent);

        List<byte[]> even = await ReceivePayloadsAsync(Form.Batch, targets[0], 6);
        List<byte[]> odd = await ReceivePayloadsAsync(Form.Batch, targets[1], 6);
        Assert.Equal([payloads[0], [0], payloads[2], [2], payloads[4], [4]], even);
        Assert.Equal([payloads[1], [1], payloads[3], [3], payloads[5], [5]], odd);
    }

    [Fact]
    public async Task TryForward_PayloadWrittenTo_SendsWhatIsThere()
    {
        UdpSocket origin = BindLoopback();
        UdpSocket relay = BindLoopback();
        UdpSocket target = BindLoopback();
        SendNow(origin, relay.LocalEndPoint, [1, 2, 3]);
        using ReceiveBatch source = relay.CreateReceiveBatch();
        using SendBatch outgoing = relay.CreateSendBatch();
        Assert.Equal(ReceiveStatus.Received, relay.Receive(source));
        Assert.True(outgoing.TryForward(source[0], target.LocalEndPoint));
        source[0].Payload[1] = 42;

        Assert.Equal(1, relay.Send(outgoing).Sent);

        Assert.Equal([[1, 42, 3]], await ReceivePayloadsAsync(Form.Batch, target, 1));
    }

    [Fact]
    public async Task TryForward_BatchFull_FalseAndNothingChanged()
    {
        UdpSocket relay = BindLoopback();
        UdpSocket target = BindLoopback();
        SendNow(target, relay.LocalEndPoint, [7]);
        using ReceiveBatch source = relay.CreateReceiveBatch();
        using SendBatch outgoing = relay.CreateSendBatch(new() { Capacity = 1 });
        Assert.Equal(ReceiveStatus.Received, relay.Receive(source));
        Assert.True(outgoing.TryForward(source[0], target.LocalEndPoint));

        Assert.False(outgoing.TryForward(source[0], target.LocalEndPoint));

        Assert.Equal(1, outgoing.Count);
        Assert.Throws<InvalidOperationException>(() => outgoing.Trim(0));
        Assert.Equal(1, relay.Send(outgoing).Sent);
        Assert.Equal([[7]], await ReceivePayloadsAsync(Form.Batch, target, 1));
    }

    [Fact]
    public void TryForward_OfAnEarlierReceiveAndItsBufferReplaced_ThrowsAndAddsNothing()
    {
        UdpSocket relay = BindLoopback();
        using ReceiveBatch source = relay.CreateReceiveBatch(new() { SlotCount = 1 });
        using SendBatch outgoing = relay.CreateSendBatch();
        SendNow(relay, relay.LocalEndPoint, [1, 2, 3]);
        Assert.Equal(ReceiveStatus.Received, relay.Receive(source));
        Datagram stale = source[0];
        using DatagramLease lease = source.Lease(0);
        SendNow(relay, relay.LocalEndPoint, [4, 5, 6]);
        Assert.Equal(ReceiveStatus.Received, relay.Receive(source));

        string? message = null;
        try
        {
            outgoing.TryForward(stale, relay.LocalEndPoint);
        }
        catch (InvalidOperationException fault)
        {
            message = fault.Message;
        }

        Assert.Contains("earlier receive", message, StringComparison.Ordinal);
        Assert.Equal(0, outgoing.Count);
        Assert.True(outgoing.TryForward(source[0], relay.LocalEndPoint));
        Assert.Equal(1, relay.Send(outgoing).Sent);
    }

    private static void ForwardAll(UdpSocket relay, int count, UdpEndPoint target)
    {
        using ReceiveBatch source = relay.CreateReceiveBatch();
        using SendBatch outgoing = relay.CreateSendBatch();
        while (outgoing.Count < count)
        {
            Assert.Equal(ReceiveStatus.Received, relay.Receive(source));
            foreach (Datagram datagram in source) Assert.True(outgoing.TryForward(datagram, target));
        }

        Assert.Equal(count, relay.Send(outgoing).Sent);
    }
}
