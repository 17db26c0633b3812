using Spate.Measurement.Counting;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>Counts datagrams and follows their streams.</summary>
internal sealed class CountHandler(
    UdpShard shard, int workRounds, ServeLimit limit, TimeProvider time, StreamLedger ledger)
    : AppHandler(shard, workRounds, limit, time)
{
    /// <summary>How long a thread keeps what it has counted before it posts it, while nothing more arrives.</summary>
    public static readonly TimeSpan PostInterval = TimeSpan.FromMilliseconds(100);

    private readonly BatchCounts _page = new(ledger);

    // The number of datagrams of each peer, in place of what a real server keeps about a peer. The table holds 65,536
    // peers at a time and admits them at any rate, because a count must include every peer.
    private readonly SessionTable<long>? _sessions = shard.KeepsPeers
        ? shard.CreateSessionTable<long>(
            new SessionTableOptions { NewSessionsPerSecond = null, NewSessionsPerSecondPerPrefix = null })
        : null;

    private int _sessionCount;

    public override int? Sessions => _sessions is null ? null : Volatile.Read(ref _sessionCount);

    public override void OnTick(TimeSpan elapsed, SendBatch replies)
    {
        _page.Post();
        _sessions?.RemoveExpired();
        NoteSessions();
    }

    public override void OnStop(SendBatch replies)
    {
        _page.Post();
        base.OnStop(replies);
    }

    protected override int Handle(ReceiveBatch batch, SendBatch replies)
    {
        int counted = 0;
        _page.Begin(ArrivalNanoseconds);
        foreach (Datagram datagram in batch)
        {
            Span<byte> payload = datagram.Payload;
            if (!_page.Add(payload)) continue;
            Visit(payload);
            if (_sessions is not null) CountPeer(_sessions, datagram.Peer);
            counted++;
        }

        _page.PostIfDue();
        NoteSessions();
        return counted;
    }

    private static void CountPeer(SessionTable<long> sessions, in UdpEndPoint peer)
    {
        if (sessions.TryGet(peer, out SessionRef<long> session)
            || sessions.GetOrAdmit(peer, out session) == SessionAdmission.Admitted)
        {
            session.Value++;
        }
    }

    private void NoteSessions()
    {
        if (_sessions is not null) Volatile.Write(ref _sessionCount, _sessions.Count);
    }
}
