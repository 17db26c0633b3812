using System.Buffers.Binary;
using Spate;
using Spate.Serving;

/// <summary>One thread of the game: its own players, and a tick that tells them the whole world.</summary>
internal sealed class GameHandler : UdpHandler
{
    private const int JoinBytes = 16;
    private const int MaxPlayers = 100;
    private const int StateHeaderBytes = 7;
    private const int PlayerBytes = 8;

    private readonly UdpShard _shard;
    private readonly World _world;
    private readonly SessionTable<Player> _players;
    private uint _tick;

    public GameHandler(UdpShard shard, World world)
    {
        _shard = shard;
        _world = world;

        // The cookie has proved the address, so the limits per prefix may be wide: many players share one behind a NAT.
        _players = shard.CreateSessionTable<Player>(new SessionTableOptions
        {
            MaxSessions = MaxPlayers,
            IdleLimit = TimeSpan.FromSeconds(30),
            NewSessionsPerSecondPerPrefix = 1000,
            NewSessionsBurstPerPrefix = 1000,
        });
    }

    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            ReadOnlySpan<byte> payload = datagram.Payload;
            switch (payload.Length == 0 ? 0 : payload[0])
            {
                case (byte)'J' when payload.Length == JoinBytes:
                    SendCookie(datagram.Peer, replies);
                    break;
                case (byte)'K' when payload.Length == 1 + Cookie.Bytes && Cookie.IsValid(datagram.Peer, payload[1..]):
                    Admit(datagram.Peer, replies);
                    break;
                case (byte)'M' when payload.Length == 3 && _players.TryGet(datagram.Peer, out SessionRef<Player> own):
                    Move(ref own.Value, (sbyte)payload[1], (sbyte)payload[2]);
                    break;
                case (byte)'L' when payload.Length == 1:
                    _players.Remove(datagram.Peer);
                    break;
            }
        }
    }

    public override void OnTick(TimeSpan now, SendBatch replies)
    {
        _players.Age();   // ends the sessions of players that have fallen silent
        _world.Publish(_shard.Index, WriteState());
        foreach (SessionRef<Player> player in _players)
        {
            for (int i = 0; i < _world.ShardCount; i++)
            {
                ReadOnlySpan<byte> part = _world.ReadPart(i);
                if (part.Length > StateHeaderBytes) Send(part, player.Peer, replies);
            }
        }
    }

    public override void OnStop(SendBatch replies)
    {
        foreach (SessionRef<Player> player in _players) Send("E"u8, player.Peer, replies);
    }

    private static void Move(ref Player player, sbyte dx, sbyte dy)
    {
        player.X = (short)Math.Clamp(player.X + dx, short.MinValue, short.MaxValue);
        player.Y = (short)Math.Clamp(player.Y + dy, short.MinValue, short.MaxValue);
    }

    private void SendCookie(in UdpEndPoint peer, SendBatch replies)
    {
        Span<byte> answer = stackalloc byte[1 + Cookie.Bytes];
        answer[0] = (byte)'C';
        Cookie.Write(peer, answer[1..]);
        Send(answer, peer, replies);
    }

    private void Admit(in UdpEndPoint peer, SendBatch replies)
    {
        // A cookie that comes twice, since the answer was lost, finds the session: the player keeps its id.
        SessionAdmission admission = _players.TryAdmit(peer, out SessionRef<Player> player);
        if (admission == SessionAdmission.Admitted) player.Value = new Player { Id = _world.TakeId() };
        else if (admission != SessionAdmission.Known) return;

        Span<byte> answer = stackalloc byte[1 + sizeof(int)];
        answer[0] = (byte)'W';
        BinaryPrimitives.WriteInt32BigEndian(answer[1..], player.Value.Id);
        Send(answer, peer, replies);
    }

    private byte[] WriteState()
    {
        // At most 807 bytes: a state fits into a packet of every path.
        byte[] state = new byte[StateHeaderBytes + (_players.Count * PlayerBytes)];
        state[0] = (byte)'S';
        state[1] = (byte)_shard.Index;
        BinaryPrimitives.WriteUInt32BigEndian(state.AsSpan(2), _tick++);
        state[6] = (byte)_players.Count;
        Span<byte> entry = state.AsSpan(StateHeaderBytes);
        foreach (SessionRef<Player> player in _players)
        {
            BinaryPrimitives.WriteInt32BigEndian(entry, player.Value.Id);
            BinaryPrimitives.WriteInt16BigEndian(entry[4..], player.Value.X);
            BinaryPrimitives.WriteInt16BigEndian(entry[6..], player.Value.Y);
            entry = entry[PlayerBytes..];
        }

        return state;
    }

    private void Send(ReadOnlySpan<byte> payload, in UdpEndPoint peer, SendBatch replies)
    {
        if (replies.TryAdd(payload, peer)) return;
        _shard.Flush(replies);   // the batch is full: what is in it leaves now
        replies.TryAdd(payload, peer);
    }
}
