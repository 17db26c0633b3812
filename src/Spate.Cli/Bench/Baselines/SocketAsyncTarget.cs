using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Bench.Baselines;

/// <summary>Socket.ReceiveFromAsync with one SocketAddress: one await each, no allocation since .NET 8.</summary>
internal sealed class SocketAsyncTarget : BenchTarget
{
    public const string RowName = "socket-async";

    public override string Name => RowName;

    public override bool ReceivesElsewhere => true;

    public override BenchReceiver CreateReceiver(BenchSetup setup) =>
        new Receiver(BaselineSocket.Open(setup.BufferBytes));

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer) =>
        new Sender(BaselineSocket.Open(setup.BufferBytes), setup, peer);

    private sealed class Receiver(Socket socket) : AsyncReceiver(socket)
    {
        private readonly Memory<byte> _buffer = BaselineSocket.NewReceiveBuffer();
        private readonly SocketAddress _address = new(AddressFamily.InterNetwork);
        private readonly PeerLookup _peers = new();

        protected override async Task ReceiveForEverAsync()
        {
            while (true)
            {
                int length =
                    await Socket.ReceiveFromAsync(_buffer, SocketFlags.None, _address).ConfigureAwait(false);
                IPEndPoint peer = _peers.Find(_address);
                Counters.Add(1, length, BaselineSocket.Visit(peer.Port, _buffer.Span[..length]));
            }
        }
    }

    private sealed class Sender(Socket socket, BenchSetup setup, IPEndPoint peer) : AsyncSender
    {
        private readonly Memory<byte> _payload = GC.AllocateArray<byte>(setup.SizeBytes, pinned: true);
        private readonly SocketAddress _address = peer.Serialize();
        private ulong _sequence;

        protected override async ValueTask<int> SendBurstAsync()
        {
            int sent = 0;
            for (int i = 0; i < SinglesPerBurst; i++)
            {
                BaselineSocket.Write(_payload.Span, _sequence++);
                _ = await socket.SendToAsync(_payload, SocketFlags.None, _address).ConfigureAwait(false);
                sent++;
            }
            return sent;
        }

        protected override void Close() => socket.Dispose();
    }
}
