using System.Security.Cryptography;
using Spate;
using Spate.Serving;

namespace Snippets;

// docs: handler
/// <summary>Keeps a session for each peer that has proved its address by a cookie.</summary>
internal sealed class SessionHandler : UdpHandler
{
    private const int CookieBytes = 16;

    private readonly byte[] _key = RandomNumberGenerator.GetBytes(32);
    private readonly UdpShard _shard;
    private readonly SessionTable<Player> _players;

    public SessionHandler(UdpShard shard)
    {
        _shard = shard;
        _players = shard.CreateSessionTable<Player>(
            new SessionTableOptions { MaxSessions = 10_000, IdleTimeout = TimeSpan.FromSeconds(30) },
            (in UdpEndPoint peer, ref Player player, SessionEndReason reason) =>
                Console.WriteLine($"{peer} left ({reason}) after {player.Datagrams} datagrams"));
    }

    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        _players.Prefetch(batch);
        foreach (Datagram datagram in batch)
        {
            if (_players.TryGet(datagram.Peer, out SessionRef<Player> player)) player.Value.Datagrams++;
            else Greet(datagram, replies);
        }
    }

    public override void OnTick(TimeSpan elapsed, SendBatch replies)
    {
        _players.RemoveExpired();                                       // ends a few idle sessions
        foreach (SessionRef<Player> player in _players)
        {
            if (replies.TryAdd("state"u8, player.Peer)) continue;
            _shard.Flush(replies);
            replies.TryAdd("state"u8, player.Peer);
        }
    }

    // Source addresses can be forged: only who receives at the address can send the cookie back. The answer is not
    // longer than the question, so that forged questions gain nothing.
    private void Greet(in Datagram datagram, SendBatch replies)
    {
        if (datagram.Payload.Length < CookieBytes) return;
        Span<byte> cookie = stackalloc byte[CookieBytes];
        WriteCookie(datagram.Peer, cookie);
        if (!CryptographicOperations.FixedTimeEquals(datagram.Payload[..CookieBytes], cookie))
        {
            replies.TryAdd(cookie, datagram.Peer);
            return;
        }

        SessionAdmission answer = _players.GetOrAdmit(datagram.Peer, out SessionRef<Player> player);
        if (answer == SessionAdmission.Admitted) player.Value = default;
        else if (answer != SessionAdmission.Known) Console.WriteLine($"{datagram.Peer} was refused: {answer}");
    }

    private void WriteCookie(in UdpEndPoint peer, Span<byte> cookie)
    {
        Span<byte> text = stackalloc byte[64];
        peer.TryFormat(text, out int textBytes);
        Span<byte> hash = stackalloc byte[32];
        HMACSHA256.HashData(_key, text[..textBytes], hash);
        hash[..CookieBytes].CopyTo(cookie);
    }

    private struct Player
    {
        public long Datagrams { get; set; }
    }
}
// end
