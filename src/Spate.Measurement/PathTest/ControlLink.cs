using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>The connected socket over which a test's two ends speak. One thread.</summary>
internal sealed class ControlLink(UdpSocket socket, TimeProvider time) : IDisposable
{
    private const int NanosecondsPerSecond = 1_000_000_000;

    // One byte more than any control datagram has, so that a longer one is not taken for one.
    private readonly byte[] _incoming = new byte[ControlMessage.MaxBytes + 1];
    private readonly byte[] _outgoing = new byte[ControlMessage.MaxBytes];

    public UdpSocket Socket { get; } = socket;

    /// <summary>The test that all messages but those of the handshake name.</summary>
    public ulong Token { get; set; }

    public long NowNanoseconds => (long)((Int128)time.GetTimestamp() * NanosecondsPerSecond / time.TimestampFrequency);

    /// <summary>
    /// A timeout of zero takes what is there. The message is valid until the next call. False where none came, or one
    /// whose token is wrong.
    /// </summary>
    public bool TryReceive(TimeSpan timeout, out ControlMessage message)
    {
        ReceiveStatus status = timeout <= TimeSpan.Zero
            ? Socket.TryReceiveFrom(_incoming, out ReceivedDatagram datagram)
            : Socket.ReceiveFrom(_incoming, timeout, out datagram);
        if (status == ReceiveStatus.Closed) throw new TrafficException("the test was closed at this end");

        if (status == ReceiveStatus.Received
            && ControlMessage.TryRead(_incoming.AsSpan(0, datagram.Length), out message)
            && (message.Token == Token || message is { Token: 0, Kind: ControlKind.Hello or ControlKind.Request }))
        {
            return true;
        }

        message = default;
        return false;
    }

    /// <summary>May be lost as on the way: every message is repeated until it is answered.</summary>
    public void Send(ControlKind kind, ReadOnlySpan<byte> body, long number = 0)
    {
        ControlMessage.WriteHeader(_outgoing, kind, Token, number, NowNanoseconds);
        body.CopyTo(_outgoing.AsSpan(ControlMessage.HeaderBytes));
        _ = Socket.TrySend(_outgoing.AsSpan(0, ControlMessage.HeaderBytes + body.Length));
    }

    public void Dispose() => Socket.Dispose();
}
