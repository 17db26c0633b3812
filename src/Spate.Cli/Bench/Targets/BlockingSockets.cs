using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Bench.Targets;

/// <summary>Socket.ReceiveFrom and SendTo with a SocketAddress, each on a thread that blocks.</summary>
internal sealed class SocketBlockingTarget : BenchTarget
{
    public override string Name => "socket-blocking";

    public override BenchReceiver CreateReceiver(BenchSetup setup) => new Receiver(setup);

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer) =>
        new Sender(BaselineSocket.Open(setup.BufferBytes), setup, peer);

    private sealed class Receiver : BenchReceiver
    {
        private readonly Socket _socket;
        private readonly byte[] _buffer = BaselineSocket.NewReceiveBuffer();
        private readonly SocketAddress _address = new(AddressFamily.InterNetwork);
        private readonly PeerLookup _peers = new();
        private volatile bool _stopping;

        public Receiver(BenchSetup setup)
        {
            _socket = BaselineSocket.Open(setup.BufferBytes);
            _socket.ReceiveTimeout = setup.MaxWaitMilliseconds;
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

        public override int Drain(int count)
        {
            int drained = 0;
            try
            {
                while (drained < count)
                {
                    int length = _socket.ReceiveFrom(_buffer, SocketFlags.None, _address);
                    Checksum += BaselineSocket.Visit(_peers.Find(_address).Port, _buffer.AsSpan(0, length));
                    drained++;
                }
            }
            catch (SocketException e) when (e.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
            {
                // The queue held fewer datagrams than were sent. The caller compares the counts.
            }

            return drained;
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

        public override int Send(int count)
        {
            for (int i = 0; i < count; i++)
            {
                BaselineSocket.Write(_payload, _sequence++);
                _ = socket.SendTo(_payload, SocketFlags.None, _address);
            }
            return count;
        }

        protected override void Close() => socket.Dispose();
    }
}

/// <summary>Socket.ReceiveFrom and SendTo with a SocketAddress, on a thread that blocks.</summary>
internal sealed class BlockingSocketServer : BenchServer
{
    private static readonly TimeSpan MaxEnding = TimeSpan.FromSeconds(3);

    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly SocketAddress? _destination;
    private readonly BenchThread _thread;
    private volatile bool _stopping;

    /// <param name="destination">Receives every datagram; null sends each one back to its peer.</param>
    public BlockingSocketServer(string name, int? cpu, IPEndPoint? destination = null)
    {
        _destination = destination?.Serialize();
        _thread = new BenchThread(name, cpu, Run);
        _thread.Start();
    }

    public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public override long? CpuNanoseconds => _thread.CpuNanosecondsSoFar;

    public override void Dispose()
    {
        // Not every system ends a blocked receive when another thread closes the socket; a datagram ends it everywhere.
        _stopping = true;
        _socket.SendTo([], LocalEndPoint);
        _thread.Join(MaxEnding);
        _socket.Dispose();
    }

    private void Run()
    {
        byte[] buffer = BaselineSocket.NewReceiveBuffer();
        var peer = new SocketAddress(AddressFamily.InterNetwork);
        while (!_stopping)
        {
            int length = _socket.ReceiveFrom(buffer, SocketFlags.None, peer);
            if (!_stopping) _socket.SendTo(buffer.AsSpan(0, length), SocketFlags.None, _destination ?? peer);
        }
    }
}
