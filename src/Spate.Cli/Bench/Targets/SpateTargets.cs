using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Bench.Targets;

/// <summary>Batches at both ends, each on a thread of its own: the loops that the library is made for.</summary>
internal sealed class SpateBatchTarget(SpateRow row) : BenchTarget
{
    public override string Name => row.Name;

    public override string? UnavailableReason => row.UnavailableReason;

    public override BenchReceiver CreateReceiver(BenchSetup setup) =>
        new SpateBatchReceiver(row.Open(setup.BufferBytes));

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer) =>
        new Sender(row.Open(setup.BufferBytes), setup.SizeBytes, UdpEndPoint.FromIPEndPoint(peer));

    private sealed class Sender(UdpSocket socket, int sizeBytes, UdpEndPoint peer) : BenchSender
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

        protected override void Close()
        {
            socket.Dispose();
            _batch.Dispose();
        }
    }
}

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

    protected override void Close()
    {
        socket.Dispose();
        Batch.Dispose();
    }
}

/// <summary>One await per datagram at both ends, as in a program that only replaces the calls of Socket.</summary>
internal sealed class SpateAwaitTarget(SpateRow row) : BenchTarget
{
    public override string Name => row.Name;

    public override string? UnavailableReason => row.UnavailableReason;

    public override bool ReceivesElsewhere => true;

    public override BenchReceiver CreateReceiver(BenchSetup setup) => new Receiver(row.Open(setup.BufferBytes));

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer) =>
        new Sender(row.Open(setup.BufferBytes), setup.SizeBytes, UdpEndPoint.FromIPEndPoint(peer));

    private sealed class Receiver(UdpSocket socket) : BenchReceiver
    {
        private readonly Memory<byte> _buffer = BaselineSocket.NewReceiveBuffer();
        private volatile bool _stopping;

        public override IPEndPoint LocalEndPoint => SpateRow.AddressOf(socket);

        public override int BufferGrantedBytes => socket.ReceiveBufferBytes;

        public override long Calls => socket.GetCounters().ReceiveCalls;

        public override void Run()
        {
            try
            {
                ReceiveForEverAsync().GetAwaiter().GetResult();
            }
            catch (Exception e) when (_stopping && e is (SocketException or ObjectDisposedException))
            {
                // The loop has no cancellation token; closing the socket ends it.
            }
        }

        public override int Drain(int count) => DrainAsync(count).AsTask().GetAwaiter().GetResult();

        public override void Stop()
        {
            _stopping = true;
            socket.Dispose();
        }

        protected override void Close() => socket.Dispose();

        private async Task ReceiveForEverAsync()
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

    private sealed class Sender(UdpSocket socket, int sizeBytes, UdpEndPoint peer) : AsyncSender
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

        protected override void Close() => socket.Dispose();
    }
}
