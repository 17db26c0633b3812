using System.Runtime.InteropServices;
using Spate.Sockets.Uring;
using Spate.Sockets.Winsock;

namespace Spate.Tests.Contracts;

/// <summary>Payloads kept past the next receive.</summary>
public abstract partial class DatagramContract
{
    [Theory, InlineData(false), InlineData(true)]
    public async Task Lease_MoreReceives_PayloadsStayIntact(bool inForeach)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        byte[][] payloads = Payloads.Of([.. Enumerable.Range(0, 120).Select(i => 200 + (i / 30))]);
        using ReceiveBatch batch = receiver.CreateReceiveBatch(new() { SlotCount = 4 });
        List<DatagramLease> leases = [];
        foreach (byte[][] part in payloads.Chunk(15))
        {
            await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, part);
            int end = leases.Count + part.Length;
            while (leases.Count < end)
            {
                Assert.Equal(ReceiveStatus.Received, receiver.Receive(batch));
                LeaseAll(batch, leases, inForeach);
            }
        }

        Assert.Equal(payloads, leases.Select(lease => lease.Payload.ToArray()));
        Assert.All(leases, lease => Assert.Equal(sender.LocalEndPoint, lease.Peer));
        foreach (DatagramLease lease in leases) lease.Dispose();
    }

    [Fact]
    public void Lease_OfDatagramWhoseBufferWasReplaced_Throws()
    {
        UdpSocket socket = BindLoopback();
        SendNow(socket, socket.LocalEndPoint, [1]);
        using ReceiveBatch batch = socket.CreateReceiveBatch(new() { SlotCount = 1 });
        Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));
        Datagram old = batch[0];
        using DatagramLease lease = old.Lease();
        SendNow(socket, socket.LocalEndPoint, [2]);
        Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));

        InvalidOperationException? fault = null;
        try
        {
            old.Lease().Dispose();
        }
        catch (InvalidOperationException caught)
        {
            fault = caught;
        }

        Assert.Contains("earlier receive", fault?.Message);
        Assert.Equal([1], lease.Payload.ToArray());
        using DatagramLease second = batch[0].Lease();
        Assert.Equal([2], second.Payload.ToArray());
    }

    [Fact]
    public void Lease_BatchDisposed_StaysValid()
    {
        UdpSocket socket = BindLoopback();
        using DatagramLease lease = LeaseOne(socket, [1, 2, 3]);

        Assert.Equal([1, 2, 3], lease.Payload.ToArray());
    }

    [Fact]
    public async Task Dispose_LeaseOnAnotherThread_EndsItEverywhere()
    {
        UdpSocket socket = BindLoopback();
        DatagramLease lease = LeaseOne(socket, [1, 2, 3]);

        await Task.Run(() => lease.Dispose(), Stop);

        Assert.Throws<ObjectDisposedException>(() => lease.Payload);
    }

    [Fact]
    public void Dispose_LeaseTwice_DoesNotEndAnother()
    {
        UdpSocket socket = BindLoopback();
        DatagramLease first = LeaseOne(socket, [1]);
        DatagramLease copy = first;
        first.Dispose();
        DatagramLease second = LeaseOne(socket, [2]);

        first.Dispose();
        copy.Dispose();
        default(DatagramLease).Dispose();

        Assert.Equal([2], second.Payload.ToArray());
        Assert.Throws<ObjectDisposedException>(() => copy.Payload);
        second.Dispose();
    }

    [Fact]
    public void Lease_TwoOfOneDatagram_EndApart()
    {
        UdpSocket socket = BindLoopback();
        SendNow(socket, socket.LocalEndPoint, [5]);
        using ReceiveBatch batch = socket.CreateReceiveBatch(new() { SlotCount = 1 });
        Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));
        DatagramLease first = batch.Lease(0);
        DatagramLease second = batch.Lease(0);

        first.Dispose();
        SendNow(socket, socket.LocalEndPoint, [6]);
        Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));

        Assert.Equal([5], second.Payload.ToArray());
        Assert.Equal([6], batch.GetPayload(0).ToArray());
        second.Dispose();
    }

    [Fact]
    public void Dispose_Leases_BuffersAreUsedAgain()
    {
        UdpSocket socket = BindLoopback();
        using ReceiveBatch batch = socket.CreateReceiveBatch(new() { SlotCount = 1 });
        HashSet<byte[]> buffers = new(ReferenceEqualityComparer.Instance);
        DatagramLease last = default;
        for (int i = 0; i < 200; i++)
        {
            SendNow(socket, socket.LocalEndPoint, [(byte)i]);
            Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));
            last.Dispose();
            last = batch.Lease(0);
            Assert.True(MemoryMarshal.TryGetArray(last.Payload, out ArraySegment<byte> segment));
            buffers.Add(segment.Array!);
        }

        // One in the slot, one leased, one on its way between the two, and those that a ring or posted receives have.
        int inRing = _backend switch
        {
            UdpBackend.Uring => UringShape.For(_coalesces).FirstBuffers,
            UdpBackend.Winsock => WinsockReceiver<WinsockCalls>.PostedCount,
            _ => 0,
        };
        Assert.InRange(buffers.Count, 2, inRing + 3);
    }

    private static DatagramLease LeaseOne(UdpSocket socket, byte[] payload)
    {
        SendNow(socket, socket.LocalEndPoint, payload);
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));
        return batch.Lease(0);
    }

    private static void LeaseAll(ReceiveBatch batch, List<DatagramLease> leases, bool inForeach)
    {
        if (inForeach)
        {
            foreach (Datagram datagram in batch) leases.Add(datagram.Lease());
            return;
        }

        for (int i = 0; i < batch.Count; i++) leases.Add(batch.Lease(i));
    }
}
