using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Bench.Baselines;

/// <summary>Socket.ReceiveFrom and SendTo with a SocketAddress, each on a thread that blocks.</summary>
internal sealed class SocketBlockingTarget : BenchTarget
{
    public override string Name => "socket-blocking";

    public override BenchReceiver CreateReceiver(BenchSetup setup) =>
        new Receiver(BaselineSocket.Open(setup.BufferBytes));

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer) =>
        new Sender(BaselineSocket.Open(setup.BufferBytes), setup, peer);

    private sealed class Receiver : BenchReceiver
    {
        // SO_RCVTIMEO: the interval at which an idle receiver looks at its stop flag. A busy one never waits so long.
        private const int StopPollMilliseconds = 50;

        private readonly Socket _socket;
        private readonly byte[] _buffer = BaselineSocket.NewReceiveBuffer();
        private readonly SocketAddress _address = new(AddressFamily.InterNetwork);
        private readonly PeerLookup _peers = new();
        private volatile bool _stopping;

        public Receiver(Socket socket)
        {
            _socket = socket;
            _socket.ReceiveTimeout = StopPollMilliseconds;
        }

        public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

        public override int BufferGrantedBytes => BaselineSocket.GrantedReceiveBytes(_socket);

        public override void Run()
        {
            while (!_stopping)
            {
                try
                {
                    ReceiveUntilIdle();
                }
                catch (SocketException e) when (e.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
                {
                    // Nothing arrived for a while, so the loop looks at the flag.
                }
            }
        }

        public override void Stop() => _stopping = true;

        protected override void Close() => _socket.Dispose();

        private void ReceiveUntilIdle()
        {
            while (!_stopping)
            {
                int length = _socket.ReceiveFrom(_buffer, SocketFlags.None, _address);
                IPEndPoint peer = _peers.Find(_address);
                Counters.Add(1, length, BaselineSocket.Visit(peer.Port, _buffer.AsSpan(0, length)));
            }
        }
    }

    private sealed class Sender(Socket socket, BenchSetup setup, IPEndPoint peer) : BenchSender
    {
        private readonly byte[] _payload = GC.AllocateArray<byte>(setup.SizeBytes, pinned: true);
        private readonly SocketAddress _address = peer.Serialize();
        private ulong _sequence;

        public override int SendBurst()
        {
            for (int i = 0; i < SinglesPerBurst; i++)
            {
                BaselineSocket.Write(_payload, _sequence++);
                _ = socket.SendTo(_payload, SocketFlags.None, _address);
            }
            return SinglesPerBurst;
        }

        protected override void Close() => socket.Dispose();
    }
}
