using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>A flow at the server between its join and the start of the data.</summary>
internal sealed class JoinedFlow : IDisposable
{
    private readonly ReceiveBatch _batch;
    private readonly byte[] _answer;

    public JoinedFlow(
        ulong token,
        long index,
        ReadOnlySpan<byte> join,
        in UdpEndPoint peer,
        in UdpEndPoint local,
        UdpSocketOptions options)
    {
        // Whatever a stray was, its sender repeats it.
        (UdpSocket socket, _batch) = PeerSocket.Open(peer, local, options, onStray: null);
        try
        {
            Flow = new TestFlow(socket, HandshakeBodies.StreamOfJoin(join), TestDatagram.NewStreamId());
            _answer = ControlMessage.Create(
                ControlKind.Joined,
                token,
                HandshakeBodies.Joined(HandshakeBodies.NonceOf(join), Flow.ReverseStream),
                index);
        }
        catch
        {
            _batch.Dispose();
            socket.Dispose();
            throw;
        }
    }

    public TestFlow Flow { get; }

    public void Answer() => _ = Flow.Socket.TrySend(_answer);

    /// <summary>Where an answer was lost the client asks again, and the flow's socket hears it.</summary>
    public void AnswerAgain()
    {
        if (Flow.Socket.TryReceive(_batch) != ReceiveStatus.Received) return;

        foreach (Datagram datagram in _batch)
        {
            if (ControlMessage.TryRead(datagram.Payload, out ControlMessage message)
                && message.Kind is ControlKind.Hello or ControlKind.Join)
            {
                Answer();
            }
        }
    }

    /// <summary>Gives back what only the join needed. The socket stays open.</summary>
    public void Dispose() => _batch.Dispose();
}
