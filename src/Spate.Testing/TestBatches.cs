using Spate.Buffers;
using Spate.Segmentation;
using Spate.Testing.Memory;

namespace Spate.Testing;

/// <summary>
/// Batches without a socket, for tests of code that takes a <see cref="ReceiveBatch"/> or fills a
/// <see cref="SendBatch"/>. To run a whole handler, use <see cref="TestShard"/>. The methods may be called by any
/// thread.
/// </summary>
public static class TestBatches
{
    /// <summary>Makes a batch that has received these datagrams, in this order.</summary>
    /// <param name="datagrams">
    /// The datagrams, 0 to 1024. <see cref="IncomingDatagram.LocalEndPointIndex"/> has no effect here.
    /// </param>
    /// <returns>
    /// The batch. To a socket it is a batch of <see cref="UdpBackend.Portable"/>.
    /// </returns>
    /// <exception cref="ArgumentNullException">A datagram is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 1024 datagrams.</exception>
    public static ReceiveBatch CreateReceiveBatch(params ReadOnlySpan<IncomingDatagram> datagrams)
    {
        const int maxCount = 1024;
        if (datagrams.Length > maxCount)
        {
            throw new ArgumentOutOfRangeException(
                nameof(datagrams), datagrams.Length, $"A batch receives at most {maxCount} datagrams.");
        }

        int count = datagrams.Length;
        ReceiveSlots slots = new(Math.Max(1, count), MemoryReceiver.MaxSlotBytes, ReceiveBatchOptions.FirstSlotBytes);
        for (int i = 0; i < count; i++)
        {
            ArgumentNullException.ThrowIfNull(datagrams[i], nameof(datagrams));
            MemoryReceiver.Fill(slots, i, datagrams[i]);
        }

        slots.HasInfo = count > 0;
        slots.Complete(count);
        return new ReceiveBatch(UdpBackend.Portable, slots);
    }

    /// <summary>
    /// Makes an empty batch, to be filled by the tested code and read by <see cref="GetDatagrams"/>.
    /// </summary>
    /// <param name="options">The capacity and the memory; null for the defaults of a socket's batches.</param>
    /// <returns>The batch. It keeps the order of its datagrams, also between peers.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The capacity or the memory is out of range.</exception>
    public static SendBatch CreateSendBatch(SendBatchOptions? options = null)
    {
        using UdpSocket socket = MemorySocket.Open(UdpEndPoint.Loopback(0), new UdpSocketOptions(), new(), 0);
        return socket.CreateSendBatch(options);
    }

    /// <summary>Copies the unsent datagrams of a batch, in the order in which a socket would send them.</summary>
    /// <param name="batch">A batch of <see cref="CreateSendBatch"/> or of a socket. It stays as it is.</param>
    /// <exception cref="ArgumentNullException"><paramref name="batch"/> is null.</exception>
    /// <exception cref="InvalidOperationException">A call is sending the batch.</exception>
    /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
    public static IReadOnlyList<SentDatagram> GetDatagrams(SendBatch batch)
    {
        ArgumentNullException.ThrowIfNull(batch);
        SendQueue queue = batch.Queue;
        queue.Use.RequireFree();
        queue.Plan.Settle();
        List<SentDatagram> datagrams = [];
        int firstSegment = queue.Plan.NextSegment;
        foreach (ref readonly GsoMessage message in queue.Plan.Messages[queue.Plan.NextMessage..])
        {
            for (int i = firstSegment; i < message.SegmentCount; i++)
                datagrams.Add(MemorySender.Read(queue, message, i, localEndPointIndex: 0));
            firstSegment = 0;
        }

        return datagrams;
    }
}
