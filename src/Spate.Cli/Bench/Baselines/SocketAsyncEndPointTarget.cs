using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Bench.Baselines;

/// <summary>Socket.ReceiveFromAsync with an EndPoint, which allocates an endpoint object per datagram.</summary>
internal sealed class SocketAsyncEndPointTarget : BenchTarget
{
    public override string Name => "socket-async-endpoint";

    public override bool ReceivesElsewhere => true;

    public override BenchReceiver CreateReceiver(BenchSetup setup) =>
        new Receiver(BaselineSocket.Open(setup.BufferBytes));

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer) =>
        new Sender(BaselineSocket.Open(setup.BufferBytes), setup, peer);

    private sealed class Receiver(Socket socket) : AsyncReceiver(socket)
    {
        private static readonly IPEndPoint AnyPeer = new(IPAddress.Any, 0);

        private readonly Memory<byte> _buffer = BaselineSocket.NewReceiveBuffer();

        protected override async Task ReceiveForEverAsync()
        {
            while (true)
            {
                SocketReceiveFromResult result =
                    await Socket.ReceiveFromAsync(_buffer, SocketFlags.None, AnyPeer).ConfigureAwait(false);
                int port = ((IPEndPoint)result.RemoteEndPoint).Port;
                long visited = BaselineSocket.Visit(port, _buffer.Span[..result.ReceivedBytes]);
                Counters.Add(1, result.ReceivedBytes, visited);
            }
        }
    }

    private sealed class Sender(Socket socket, BenchSetup setup, IPEndPoint peer) : AsyncSender
    {
        private readonly Memory<byte> _payload = GC.AllocateArray<byte>(setup.SizeBytes, pinned: true);
        private ulong _sequence;

        protected override async ValueTask<int> SendBurstAsync()
        {
            int sent = 0;
            for (int i = 0; i < SinglesPerBurst; i++)
            {
                BaselineSocket.Write(_payload.Span, _sequence++);
                _ = await socket.SendToAsync(_payload, SocketFlags.None, peer).ConfigureAwait(false);
                sent++;
            }
            return sent;
        }

        protected override void Close() => socket.Dispose();
    }
}
