using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Bench.Baselines;

namespace Spate.Cli.Bench.Batched;

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
    }

    private sealed class Sender(UdpSocket socket, int sizeBytes, UdpEndPoint peer) : AsyncSender
    {
        private readonly Memory<byte> _payload = GC.AllocateArray<byte>(sizeBytes, pinned: true);
        private ulong _sequence;

        protected override async ValueTask<int> SendBurstAsync()
        {
            int sent = 0;
            for (int i = 0; i < SinglesPerBurst; i++)
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
