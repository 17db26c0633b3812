namespace Spate.Gateway.Pipelines;

/// <summary>
/// What a pipeline has accepted, committed and dropped, by partition. What is on its way is not counted here but in the
/// places where it lies, so that a mistake in either shows as a difference. Under the pipeline's lock.
/// </summary>
internal sealed class PipelineLedger
{
    private readonly KeyCounts[] _keys;

    public PipelineLedger(int partitionCount)
    {
        _keys = new KeyCounts[partitionCount];
        for (int i = 0; i < partitionCount; i++) _keys[i] = new KeyCounts();
    }

    /// <summary>Datagrams that a prefix or a rate kept out; they have no sequence number.</summary>
    public long NotAllowed { get; private set; }

    public KeyCounts this[int partition] => _keys[partition];

    /// <summary>Datagrams read from the socket, those not allowed included.</summary>
    public long Accepted
    {
        get
        {
            ulong accepted = (ulong)NotAllowed;
            foreach (KeyCounts key in _keys) accepted += key.Next;
            return (long)accepted;
        }
    }

    public long Committed
    {
        get
        {
            long committed = 0;
            foreach (KeyCounts key in _keys) committed += key.Committed;
            return committed;
        }
    }

    public void Refuse(long count) => NotAllowed += count;

    public long DroppedFor(GatewayDropReason reason)
    {
        if (reason == GatewayDropReason.NotAllowed) return NotAllowed;
        long dropped = 0;
        foreach (KeyCounts key in _keys) dropped += key.DroppedFor(reason);
        return dropped;
    }
}
