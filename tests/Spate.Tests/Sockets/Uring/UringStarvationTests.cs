using Spate.Sockets.Uring;

namespace Spate.Tests.Sockets.Uring;

/// <summary>Rings that are too small for what comes: nothing is lost, doubled or left lying.</summary>
public sealed class UringStarvationTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Receive_FourBuffersManyTimesEmpty_LosesNothing(bool oneThread)
    {
        using RingSocket ring = new(new UringShape(CompletionCount: 16, FirstBuffers: 4, MostBuffers: 4), oneThread);
        using ReceiveBatch batch = ring.Socket.CreateReceiveBatch(new() { SlotCount = 3 });
        long next = 0;
        for (int i = 0; i < TestWidth.Of(2_000, full: 10_000); i++)
        {
            ring.Send(6);
            ring.Receive(batch, 6, ref next);
        }

        long starved = ring.Receiver.Request.StarvedCount;
        Assert.True(starved > 1000, $"The ring was empty only {starved} times.");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Receive_EightCompletionsManyTimes_LosesNothing(bool oneThread)
    {
        using RingSocket ring = new(new UringShape(CompletionCount: 8, FirstBuffers: 64, MostBuffers: 64), oneThread);
        using ReceiveBatch batch = ring.Socket.CreateReceiveBatch();
        long next = 0;
        while (next < TestWidth.Of(100_000, full: 1_000_000))
        {
            ring.Send(40);
            ring.Receive(batch, 40, ref next);
        }

        Assert.True(ring.Receiver.Request.OverflownCount > 0, "Completions never overflowed.");
    }

    [Fact]
    public void Receive_EveryDatagramLeased_GoesOnAndKeepsThem()
    {
        using RingSocket ring = new(new UringShape(CompletionCount: 16, FirstBuffers: 4, MostBuffers: 4));
        using ReceiveBatch batch = ring.Socket.CreateReceiveBatch(new() { SlotCount = 3 });
        List<DatagramLease> leases = [];
        while (leases.Count < 200)
        {
            ring.Send(5);
            for (int left = 5; left > 0; left -= batch.Count)
            {
                Assert.Equal(ReceiveStatus.Received, ring.Socket.Receive(batch, RingSocket.Patience));
                for (int i = 0; i < batch.Count; i++) leases.Add(batch.Lease(i));
            }
        }

        for (int i = 0; i < leases.Count; i++)
        {
            Assert.Equal(i, BitConverter.ToInt64(leases[i].Payload.Span));
            leases[i].Dispose();
        }
    }

    [Fact]
    public void Receive_ThreadThatAskedLastHasEnded_GoesOn()
    {
        using RingSocket ring = new(UringShape.For(coalesced: false));
        using ReceiveBatch batch = ring.Socket.CreateReceiveBatch();
        long next = 0;
        for (int i = 0; i < 100; i++)
        {
            Thread asker = new(() =>
            {
                using ReceiveBatch own = ring.Socket.CreateReceiveBatch();
                ring.Socket.TryReceive(own);
            });
            asker.Start();
            Assert.True(asker.Join(RingSocket.Patience));
            ring.Send(3);
            ring.Receive(batch, 3, ref next);
        }
    }
}
