namespace Spate.Measurement.Serving;

/// <summary>Counts, and follows streams.</summary>
internal sealed class CountHandler(
    UdpShard shard, int workRounds, ServeLimit limit, TimeProvider time, StreamLedger ledger)
    : AppHandler(shard, workRounds, limit, time)
{
    /// <summary>How long what a thread has seen may wait to be told while nothing more comes.</summary>
    public static readonly TimeSpan PostInterval = TimeSpan.FromMilliseconds(100);

    private readonly LedgerPage _page = new(ledger);

    public override void OnTick(TimeSpan now, SendBatch replies) => _page.Post();

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
            counted++;
        }

        _page.PostIfDue();
        return counted;
    }
}
