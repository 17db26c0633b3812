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

    private byte[] _request = [];
    private int _tries;
    private long _dueAt;

    /// <summary>Joins the game by the cookie that the server sends.</summary>
    /// <returns>The id of the player; null if the server is silent.</returns>
    public int? Join()
    {
        using ReceiveBatch received = _socket.CreateReceiveBatch();
        Begin([(byte)'J', .. new byte[JoinBytes - 1]]);
        while (TrySendDue())
        {
            if (_socket.Receive(received, UntilDue()) == ReceiveStatus.Closed) break;
            foreach (Datagram datagram in received)
            {
                if (TakeAnswer(datagram) is int id) return id;
            }
        }

        return null;
    }

    public void Dispose() => _socket.Dispose();

    // Challenges that come twice, and answers to a request that was not sent, change nothing.
    private int? TakeAnswer(in Datagram datagram)
    {
        ReadOnlySpan<byte> payload = datagram.Payload;
        bool isJoining = _request[0] == (byte)'J';
        if (isJoining && payload is [(byte)'C', .. { Length: CookieBytes } cookie]) Begin([(byte)'K', .. cookie]);
        if (isJoining || payload is not [(byte)'W', .. { Length: sizeof(int) } id]) return null;
        return BinaryPrimitives.ReadInt32BigEndian(id);
    }

    private void Begin(byte[] request)
    {
        _request = request;
        _tries = 0;
        _dueAt = time.GetTimestamp();
    }

    private bool TrySendDue()
    {
        long now = time.GetTimestamp();
        if (now < _dueAt) return true;
        if (_tries == MaxTries) return false;
        _socket.Send(_request);
        _dueAt = now + (long)(firstTimeout.TotalSeconds * time.TimestampFrequency * (1 << _tries));
        _tries++;
        return true;
    }

    private TimeSpan UntilDue()
    {
        TimeSpan left = time.GetElapsedTime(time.GetTimestamp(), _dueAt);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }
}
