namespace Spate.Tests.Contracts;

/// <summary>One batch that goes from socket to socket, and who may use it when.</summary>
public abstract partial class DatagramContract
{
    [Fact]
    public async Task Receive_BatchInUseByAnotherCall_IsRefusedAndTheFirstGoesOn()
    {
        UdpSocket socket = BindLoopback();
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        Task<ReceiveStatus> waiting = Task.Run(() => ReceiveOnceFree(socket, batch), Stop);
        Eventually(
            () =>
            {
                try
                {
                    return socket.TryReceive(batch) != ReceiveStatus.Empty;
                }
                catch (InvalidOperationException)
                {
                    return true;
                }
            },
            "the batch was in use");

        SendNow(socket, socket.LocalEndPoint, [7]);

        Assert.Equal(ReceiveStatus.Received, await waiting.WaitAsync(Limit, Stop));
        Assert.Equal([7], batch[0].Payload.ToArray());
        Assert.Equal(ReceiveStatus.Empty, socket.TryReceive(batch));
    }

    private ReceiveStatus ReceiveOnceFree(UdpSocket socket, ReceiveBatch batch)
    {
        while (!Stop.IsCancellationRequested)
        {
            try
            {
                return socket.Receive(batch);
            }
            catch (InvalidOperationException)
            {
                // The test looks at the same moment.
            }
        }

        return ReceiveStatus.TimedOut;
    }

    [Fact]
    public void Receive_BatchSharedByConnectedSockets_TellsEachItsPeer()
    {
        UdpSocket firstPeer = BindLoopback();
        UdpSocket secondPeer = BindLoopback();
        UdpSocket first = Connect(firstPeer.LocalEndPoint);
        UdpSocket second = Connect(secondPeer.LocalEndPoint);
        using ReceiveBatch batch = first.CreateReceiveBatch();
        byte[] buffer = new byte[10];
        for (int round = 0; round < 3; round++)
        {
            SendNow(firstPeer, first.LocalEndPoint, [1]);
            Assert.Equal(ReceiveStatus.Received, first.Receive(batch));
            Assert.Equal(firstPeer.LocalEndPoint, batch[0].Peer);

            // Two come by one call and one of them is taken: the batch gets the other by copying, without the system.
            using SendBatch two = secondPeer.CreateSendBatch();
            for (byte i = 0; i < 2; i++) Assert.True(two.TryAdd([i], second.LocalEndPoint));
            Assert.Equal(2, secondPeer.Send(two).Sent);
            Assert.Equal(ReceiveStatus.Received, second.ReceiveFrom(buffer, out _));
            Assert.Equal(ReceiveStatus.Received, second.Receive(batch));
            Assert.Equal(secondPeer.LocalEndPoint, batch[0].Peer);
        }
    }

    [Fact]
    public void Receive_StagedDatagramIsCutOff_CountsIt()
    {
        UdpSocket socket = BindLoopback();
        if (socket.CoalescedReceive) return;
        using ReceiveBatch small = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotBytes = 1000 });
        SendNow(BindLoopback(), socket.LocalEndPoint, new byte[3000], new byte[3000]);

        Assert.Equal(ReceiveStatus.Received, socket.ReceiveFrom(new byte[3000], out _));
        Assert.Equal(ReceiveStatus.Received, socket.Receive(small));

        Assert.Equal((1000, true), (small[0].Payload.Length, small[0].IsTruncated));
        Assert.Equal(1, socket.GetCounters().DatagramsTruncated);
    }

    [Theory]
    [InlineData(Form.Batch)]
    [InlineData(Form.BatchTimed)]
    public async Task Receive_SingleReceiverTakeGsoMessages_BatchCallGetsTheRest(Form form)
    {
        const int GsoMessageLength = 8;
        for (int round = 0; round < 50; round++)
        {
            UdpSocket socket = BindLoopback();
            UdpSocket sender = BindLoopback();
            using ReceiveBatch batch = socket.CreateReceiveBatch();
            Task<ReceiveStatus> many = Task.Run(async () => await TakeBatchAsync(form, socket, batch), Stop);
            Task<ReceiveStatus> one = Task.Run(() => socket.ReceiveFrom(new byte[100], out _), Stop);

            // One call may have all of them, so there is another one for the other.
            await SendPayloadsAsync(Form.Batch, sender, socket.LocalEndPoint, Payloads.Same(GsoMessageLength, 100));
            await Task.WhenAny(many, one);
            if (many.IsCompleted) SendNow(sender, socket.LocalEndPoint, new byte[100]);

            Assert.Equal(ReceiveStatus.Received, await many.WaitAsync(Limit, Stop));
            Assert.Equal(ReceiveStatus.Received, await one.WaitAsync(Limit, Stop));
            socket.Dispose();
            sender.Dispose();
        }
    }
}
