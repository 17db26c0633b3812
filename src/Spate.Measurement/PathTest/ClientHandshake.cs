using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>
/// The client's half of a handshake over one socket: hello until a challenge comes, then the proof until an answer
/// comes. Everything is repeated at growing intervals, and every repetition is harmless.
/// </summary>
internal sealed class ClientHandshake : IDisposable
{
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    // So many times a closed port is believed; a server that is just being started may not have opened it yet.
    private const int MaxIcmpErrors = 3;

    // A proof that is not answered so often may hold a cookie that is too old: another one is asked for.
    private const int MaxProofs = 4;

    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(2);

    private readonly UdpSocket _socket;
    private readonly ulong _token;
    private readonly long _number;
    private readonly Func<byte[], byte[], byte[]> _writeProof;
    private readonly TimeProvider _time;
    private readonly ReceiveBatch _batch;
    private readonly byte[] _nonce = SystemRandom.GetBytes(HandshakeBodies.NonceBytes);
    private readonly byte[] _hello;
    private readonly long _startTicks;
    private byte[]? _proof;
    private int _proofs;
    private long _sentTicks;
    private TimeSpan _pause;

    /// <param name="socket">Connected to the server. Nothing else is received on it meanwhile.</param>
    /// <param name="token">The test that a flow joins; 0 for a test to be asked for.</param>
    /// <param name="writeProof">Writes the body of the request or join, from the nonce and the cookie.</param>
    public ClientHandshake(
        UdpSocket socket, ulong token, long number, Func<byte[], byte[], byte[]> writeProof, TimeProvider time)
    {
        _socket = socket;
        _token = token;
        _number = number;
        _writeProof = writeProof;
        _time = time;
        _startTicks = time.GetTimestamp();

        // Batches: after a single receive, those of the data would cost a lock.
        _batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 1 });
        byte[] padded = new byte[HandshakeBodies.HelloBytes];
        _nonce.CopyTo(padded, 0);
        _hello = ControlMessage.Create(ControlKind.Hello, token, padded, number);
    }

    public ulong Token { get; private set; }

    public byte[]? Answer { get; private set; }

    /// <summary>Throws <see cref="TrafficException"/> where the server refused or is not there.</summary>
    public void Step(TimeSpan longest)
    {
        if (Answer is not null) return;

        if (_time.GetElapsedTime(_startTicks) > Patience)
        {
            throw new TrafficException(
                $"{_socket.Peer} did not answer in {Patience.TotalSeconds:0} s: start spate test -s there, "
                + "and allow UDP to its port");
        }

        if (_pause == TimeSpan.Zero || _time.GetElapsedTime(_sentTicks) >= _pause) SendNext();
        if (_socket.Receive(_batch, longest) == ReceiveStatus.Received)
        {
            foreach (Datagram datagram in _batch)
            {
                if (ControlMessage.TryRead(datagram.Payload, out ControlMessage message)) Take(message);
            }
        }
        else if (_socket.GetCounters().IcmpErrors >= MaxIcmpErrors)
        {
            throw new TrafficException(
                $"no program listens at {_socket.Peer}: start spate test -s there, or give its port");
        }
    }

    /// <summary>Gives back what only the handshake needed. The socket stays open.</summary>
    public void Dispose() => _batch.Dispose();

    private void SendNext()
    {
        if (_proof is not null && ++_proofs > MaxProofs) (_proof, _proofs) = (null, 0);

        _pause = _pause == TimeSpan.Zero ? FirstPause
            : TimeSpan.FromTicks(Math.Min(2 * _pause.Ticks, LongestPause.Ticks));
        _sentTicks = _time.GetTimestamp();
        _ = _socket.TrySend(_proof ?? _hello);
    }

    private void Take(in ControlMessage message)
    {
        if (message.Body.Length < HandshakeBodies.NonceBytes
            || !HandshakeBodies.NonceOf(message.Body).SequenceEqual(_nonce))
        {
            return;
        }

        switch (message.Kind)
        {
            case ControlKind.Challenge when message.Body.Length == HandshakeBodies.ChallengeBytes && _proof is null:
                byte[] body = _writeProof(_nonce, HandshakeBodies.CookieOf(message.Body).ToArray());
                ControlKind kind = _token == 0 ? ControlKind.Request : ControlKind.Join;
                _proof = ControlMessage.Create(kind, _token, body, _number);
                _pause = TimeSpan.Zero;
                break;
            case ControlKind.Refuse:
                throw new TrafficException(
                    $"{_socket.Peer} refused: {HandshakeBodies.TextOfRefusal(message.Body)}");
            case ControlKind.Accept when _token == 0 && message.Body.Length > HandshakeBodies.AcceptBytes:
            case ControlKind.Joined when _token != 0 && message.Number == _number
                && message.Body.Length == HandshakeBodies.JoinedBytes:
                Token = message.Token;
                Answer = message.Body.ToArray();
                break;
        }
    }
}
