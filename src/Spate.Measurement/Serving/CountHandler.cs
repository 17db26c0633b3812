using Spate.Serving;

namespace Spate.Measurement.Serving;

/// <summary>Counts, and follows streams.</summary>
internal sealed class CountHandler(
    UdpShard shard, int workRounds, ServeLimit limit, TimeProvider time, StreamLedger ledger)
    : AppHandler(shard, workRounds, limit, time)
{
    /// <summary>How long what a thread has seen may wait to be told while nothing more comes.</summary>
    public static readonly TimeSpan PostInterval = TimeSpan.FromMilliseconds(100);

    private readonly LedgerPage _page = new(ledger);

    // How many datagrams each peer sent, as a server would keep something about each; at most 65,536 at a time, without
    // limits of admission, since who counts wants to see all.
    private readonly SessionTable<long>? _sessions = shard.KeepsPeers
        ? shard.CreateSessionTable<long>(
            new SessionTableOptions { NewSessionsPerSecond = null, NewSessionsPerSecondPerPrefix = null })
        : null;

    private int _sessionCount;

    public override int? Sessions => _sessions is null ? null : Volatile.Read(ref _sessionCount);

    public override void OnTick(TimeSpan now, SendBatch replies)
    {
        _page.Post();
        _sessions?.Age();
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
            || sessions.TryAdmit(peer, out session) == SessionAdmission.Admitted)
        {
            session.Value++;
        }
    }

    private void NoteSessions()
    {
        if (_sessions is not null) Volatile.Write(ref _sessionCount, _sessions.Count);
    }
}
