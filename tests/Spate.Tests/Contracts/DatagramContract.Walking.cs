namespace Spate.Tests.Contracts;

/// <summary>The two ways through a batch.</summary>
public abstract partial class DatagramContract
{
    [Fact]
    public async Task Walk_ForeachOverRefStructs_SeesEveryDatagramInPlace()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        int[] lengthsBytes = [9, 9, 9, 4, 0, 700, 700, 12];
        await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, Payloads.Of(lengthsBytes));
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        int tag = 0;
        while (tag < lengthsBytes.Length && await receiver.ReceiveAsync(batch, Stop) == ReceiveStatus.Received)
        {
            int index = 0;
            foreach (Datagram datagram in batch)
            {
                ref readonly UdpEndPoint peer = ref datagram.Peer;
                Assert.Equal(sender.LocalEndPoint, peer);
                Assert.Equal(Payloads.Make(lengthsBytes[tag], tag), datagram.Payload);
                Assert.True(datagram.Payload == batch.GetPayload(index).Span);
                Assert.True(datagram.Payload == batch[index].Payload);
                Assert.Equal(peer, batch.GetPeer(index));
                index++;
                tag++;
            }
        }

        Assert.Equal(lengthsBytes.Length, tag);
    }

    [Fact]
    public async Task Walk_IndexedWithAwaitBetween_SeesEveryDatagram()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        UdpSocket log = BindLoopback();
        byte[][] payloads = Payloads.Of(9, 9, 9, 4, 0, 700, 700, 12);
        await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, payloads);
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        int count = 0;
        while (count < payloads.Length && await receiver.ReceiveAsync(batch, Stop) == ReceiveStatus.Received)
        {
            for (int i = 0; i < batch.Count; i++, count++)
            {
                await Task.Yield();
                Assert.Equal(sender.LocalEndPoint, batch.GetPeer(i));
                SendResult result = await receiver.SendToAsync(batch.GetPayload(i), log.LocalEndPoint, Stop);
                Assert.True(result.AllSent);
            }
        }

        Assert.Equal(payloads, await ReceivePayloadsAsync(Form.Batch, log, payloads.Length));
    }

    [Fact]
    public void Index_OutsideTheBatch_IsAnArgumentError()
    {
        UdpSocket socket = BindLoopback();
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        Assert.Throws<ArgumentOutOfRangeException>(() => batch.GetPayload(0));
        SendNow(socket, socket.LocalEndPoint, [1]);
        Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));

        Assert.Throws<ArgumentOutOfRangeException>(() => batch.GetPayload(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => batch.GetPayload(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => batch.GetPeer(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => batch.Lease(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => batch[1].Payload.Length);
    }
}
