using System.Buffers.Binary;
using Spate;
using Spate.Serving;

/// <summary>The game: its players, and a tick that tells them the state of the world.</summary>
internal sealed class GameHandler(UdpShard shard) : UdpHandler
{
    private const int FillBytes = 15;
    private const int MaxPlayers = 100;
    private const int StateHeaderBytes = 6;
    private const int PlayerBytes = 8;

    // The cookie has proved the address, so there is no limit per prefix: many players share one behind a NAT.
    private readonly SessionTable<Player> _players = shard.CreateSessionTable<Player>(new SessionTableOptions
    {
        MaxSessions = MaxPlayers,
        IdleTimeout = TimeSpan.FromSeconds(30),
        NewSessionsPerSecondPerPrefix = null,
    });

    private uint _tick;

    public int JoinedCount { get; private set; }

    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            ReadOnlySpan<byte> payload = datagram.Payload;
            UdpEndPoint peer = datagram.Peer;
            if (payload is [(byte)'J', .. { Length: FillBytes }]) Send([(byte)'C', .. Cookie.Of(peer)], peer, replies);
            if (payload is [(byte)'K', .. { Length: Cookie.Bytes } cookie]) Admit(cookie, peer, replies);
            if (payload is [(byte)'M', byte dx, byte dy] && _players.TryGet(peer, out SessionRef<Player> player))
            {
                player.Value.X += (sbyte)dx;   // the world is round: behind one end is the other
                player.Value.Y += (sbyte)dy;
            }
        }
    }

    public override void OnTick(TimeSpan elapsed, SendBatch replies)
    {
        _players.RemoveExpired();   // ends the sessions of players that have fallen silent

        // At most 806 bytes: a state fits into a packet of every path.
        Span<byte> state = stackalloc byte[StateHeaderBytes + (_players.Count * PlayerBytes)];
        state[0] = (byte)'S';
        BinaryPrimitives.WriteUInt32BigEndian(state[1..], _tick++);
        state[5] = (byte)_players.Count;
        Span<byte> entry = state[StateHeaderBytes..];
        foreach (SessionRef<Player> player in _players)
        {
            BinaryPrimitives.WriteInt32BigEndian(entry, player.Value.Id);
            BinaryPrimitives.WriteInt16BigEndian(entry[4..], player.Value.X);
            BinaryPrimitives.WriteInt16BigEndian(entry[6..], player.Value.Y);
            entry = entry[PlayerBytes..];
        }

        foreach (SessionRef<Player> player in _players) Send(state, player.Peer, replies);
    }

    public override void OnStop(SendBatch replies)
    {
        foreach (SessionRef<Player> player in _players) Send("E"u8, player.Peer, replies);
    }

    private void Admit(ReadOnlySpan<byte> cookie, in UdpEndPoint peer, SendBatch replies)
    {
        if (!Cookie.IsValid(peer, cookie)) return;

        // A cookie that comes twice, since the answer was lost, finds the session: the player keeps its id.
        SessionAdmission admission = _players.GetOrAdmit(peer, out SessionRef<Player> player);
        if (admission == SessionAdmission.Admitted) player.Value.Id = ++JoinedCount;
        else if (admission != SessionAdmission.Known) return;

        Span<byte> answer = [(byte)'W', 0, 0, 0, 0];
        BinaryPrimitives.WriteInt32BigEndian(answer[1..], player.Value.Id);
        Send(answer, peer, replies);
    }

    private void Send(ReadOnlySpan<byte> payload, in UdpEndPoint peer, SendBatch replies)
    {
        if (replies.TryAdd(payload, peer)) return;
        shard.Flush(replies);   // the batch is full: what is in it leaves now
        replies.TryAdd(payload, peer);
    }
}

/// <summary>A player, in place in the table of sessions.</summary>
internal record struct Player(int Id, short X, short Y);
