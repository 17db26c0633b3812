using System.Buffers.Binary;
using Spate;

/// <summary>Joins a game of samples/GameServer, whose Program.cs describes the protocol.</summary>
internal sealed class GameClient(UdpEndPoint server, TimeSpan firstTimeout, TimeProvider time) : IDisposable
{
    private const int JoinBytes = 16;
    private const int CookieBytes = 8;
    private const int MaxTries = 6;

    // A connected socket: the system drops datagrams of all other peers.
    private readonly UdpSocket _socket = UdpSocket.Connect(server);

    private readonly RequestTracker<byte[]> _open = new(capacity: 1, MaxTries, firstTimeout, time);

    /// <summary>Joins the game by the cookie that the server sends.</summary>
    /// <returns>The id of the player; null if the server is silent.</returns>
    public int? Join()
    {
        using ReceiveBatch received = _socket.CreateReceiveBatch();
        _open.TryAdd('J', server, [(byte)'J', .. new byte[JoinBytes - 1]]);
        while (TrySendDue())
        {
            if (_socket.Receive(received, _open.UntilDue) == ReceiveStatus.Closed) break;
            foreach (Datagram datagram in received)
            {
                if (TakeAnswer(datagram) is int id) return id;
            }
        }

        return null;
    }

    public void Dispose() => _socket.Dispose();

    // The protocol has no ids: the request's letter is the id. Challenges that come twice, and answers to a request
    // that was not sent, change nothing.
    private int? TakeAnswer(in Datagram datagram)
    {
        ReadOnlySpan<byte> payload = datagram.Payload;
        if (payload is [(byte)'C', .. { Length: CookieBytes } cookie] && _open.TryComplete('J', datagram.Peer))
        {
            _open.TryAdd('K', datagram.Peer, [(byte)'K', .. cookie]);
        }

        return payload is [(byte)'W', .. { Length: sizeof(int) } id] && _open.TryComplete('K', datagram.Peer)
            ? BinaryPrimitives.ReadInt32BigEndian(id)
            : null;
    }

    private bool TrySendDue()
    {
        if (!_open.TryTakeDue(time.GetTimestamp(), out DueRequest<byte[]> due)) return true;
        if (!due.IsLost) _socket.Send(due.Request);
        return !due.IsLost;
    }
}
