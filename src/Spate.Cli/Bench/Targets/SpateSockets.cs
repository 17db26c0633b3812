using System.Buffers.Binary;
using System.Net;

namespace Spate.Cli.Bench.Targets;

/// <summary>Receives batches, on a thread of its own or on the thread that fills its queue.</summary>
internal sealed class SpateBatchReceiver(UdpSocket socket) : BenchReceiver
{
    public ReceiveBatch Batch { get; } = socket.CreateReceiveBatch();

    public override IPEndPoint LocalEndPoint => SpateRow.AddressOf(socket);

    public override int BufferGrantedBytes => socket.ReceiveBufferBytes;

    public override long Calls => socket.GetCounters().ReceiveCalls;

    public override void Run()
    {
        while (socket.Receive(Batch) == ReceiveStatus.Received)
        {
            BatchVisit visit = SpateRow.Visit(Batch);
            Counters.Add(visit.Datagrams, visit.Bytes, visit.Checksum);
        }
    }

    public override int Drain(int count)
    {
        int drained = 0;
        while (drained < count && TryReceive())
        {
            BatchVisit visit = SpateRow.Visit(Batch);
            Checksum += visit.Checksum;
            drained += (int)visit.Datagrams;
        }

        return drained;
    }

    /// <summary>Returns false if nothing is queued.</summary>
    public bool TryReceive() => socket.TryReceive(Batch) == ReceiveStatus.Received;

    public override void Stop() => socket.Dispose();

    public override void Dispose()
    {
        socket.Dispose();
        Batch.Dispose();
    }
}

/// <summary>Sends batches, as full as they may be.</summary>
internal sealed class SpateBatchSender(UdpSocket socket, int sizeBytes, UdpEndPoint peer) : BenchSender
{
    private readonly SendBatch _batch = socket.CreateSendBatch();
    private ulong _sequence;

    public override long GsoFallbacks => socket.GetCounters().GsoFallbacks;

    public override int SendBurst()
    {
        SpateRow.Fill(_batch, peer, sizeBytes, _batch.Capacity, ref _sequence);
        return socket.Send(_batch).Sent;
    }

    public override int Send(int count)
    {
        int sent = 0;
        int tried = 0;
        while (tried < count)
        {
            SpateRow.Fill(_batch, peer, sizeBytes, count - tried, ref _sequence);
            tried += _batch.Count;
            sent += socket.Send(_batch).Sent;
        }

        return sent;
    }

    public override void Dispose()
    {
        socket.Dispose();
        _batch.Dispose();
    }
}

/// <summary>One await per datagram, as in a program that only replaces the calls of Socket.</summary>
internal sealed class SpateAwaitReceiver(UdpSocket socket) : AsyncReceiver(socket)
{
    private readonly Memory<byte> _buffer = BaselineSocket.NewReceiveBuffer();

    public override IPEndPoint LocalEndPoint => SpateRow.AddressOf(socket);

    public override int BufferGrantedBytes => socket.ReceiveBufferBytes;

    public override long Calls => socket.GetCounters().ReceiveCalls;

    public override int Drain(int count) => DrainAsync(count).AsTask().GetAwaiter().GetResult();

    protected override async Task ReceiveForEverAsync()
    {
        while (true)
        {
            ReceivedDatagram datagram = await socket.ReceiveFromAsync(_buffer).ConfigureAwait(false);
            long visited = BaselineSocket.Visit(datagram.Peer.Port, _buffer.Span[..datagram.Length]);
            Counters.Add(1, datagram.Length, visited);
        }
    }

    // A datagram is always queued, so every call completes at once.
    private async ValueTask<int> DrainAsync(int count)
    {
        using var giveUp = new CancellationTokenSource();
        int drained = 0;
        while (drained < count)
        {
            ValueTask<ReceivedDatagram> receiving = socket.ReceiveFromAsync(_buffer, giveUp.Token);
            if (!receiving.IsCompleted)
            {
                // The queue held fewer datagrams than were sent. The caller compares the counts.
                await giveUp.CancelAsync().ConfigureAwait(false);
            }

            try
            {
                ReceivedDatagram datagram = await receiving.ConfigureAwait(false);
                Checksum += BaselineSocket.Visit(datagram.Peer.Port, _buffer.Span[..datagram.Length]);
                drained++;
            }
            catch (OperationCanceledException)
            {
                break;
            }
        }

        return drained;
    }
}

/// <summary>One await per datagram.</summary>
internal sealed class SpateAwaitSender(UdpSocket socket, int sizeBytes, UdpEndPoint peer) : AsyncSender(socket)
{
    private readonly Memory<byte> _payload = GC.AllocateArray<byte>(sizeBytes, pinned: true);
    private ulong _sequence;

    protected override async ValueTask<int> SendAsync(int count)
    {
        int sent = 0;
        for (int i = 0; i < count; i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(_payload.Span, _sequence++);
            SendResult result = await socket.SendToAsync(_payload, peer).ConfigureAwait(false);
            sent += result.Sent;
        }
        return sent;
    }
}
