using System.Net;

namespace Spate.Cli.Bench.Batched;

/// <summary>Batches at both ends, each on a thread of its own: the loops that the library is made for.</summary>
internal sealed class SpateBatchTarget(SpateRow row) : BenchTarget
{
    public override string Name => row.Name;

    public override string? UnavailableReason => row.UnavailableReason;

    public override BenchReceiver CreateReceiver(BenchSetup setup) => new Receiver(row.Open(setup.BufferBytes));

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer) =>
        new Sender(row.Open(setup.BufferBytes), setup.SizeBytes, UdpEndPoint.FromIPEndPoint(peer));

    private sealed class Receiver(UdpSocket socket) : BenchReceiver
    {
        private readonly ReceiveBatch _batch = socket.CreateReceiveBatch();

        public override IPEndPoint LocalEndPoint => SpateRow.AddressOf(socket);

        public override int BufferGrantedBytes => socket.ReceiveBufferBytes;

        public override long Calls => socket.GetCounters().ReceiveCalls;

        public override void Run()
        {
            while (socket.Receive(_batch) == ReceiveStatus.Received)
            {
                BatchVisit visit = SpateRow.Visit(_batch);
                Counters.Add(visit.Datagrams, visit.Bytes, visit.Checksum);
            }
        }

        public override void Stop() => socket.Dispose();

        protected override void Close()
        {
            socket.Dispose();
            _batch.Dispose();
        }
    }

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

        protected override void Close()
        {
            socket.Dispose();
            _batch.Dispose();
        }
    }
}
