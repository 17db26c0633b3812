using Spate.HostTuning.Usage;
using Spate.Serving;

namespace Spate.Measurement.Serving;

/// <summary>What the handlers of all applications have in common: counting, work, the thread's use of CPU.</summary>
internal abstract class AppHandler : UdpHandler, IDisposable
{
    private readonly ServeLimit _limit;
    private readonly TimeProvider _time;
    private readonly ThreadMeter _meter = new();
    private readonly ThreadUsage _usageBefore;
    private readonly int _workRounds;
    private ThreadUsage? _usageAtEnd;
    private uint _workResult;
    private long _bytes;
    private int _smallestBytes;
    private int _largestBytes;

    /// <summary>To be made on the shard's thread.</summary>
    protected AppHandler(UdpShard shard, int workRounds, ServeLimit limit, TimeProvider time)
    {
        Shard = shard;
        _workRounds = workRounds;
        _limit = limit;
        _time = time;
        _usageBefore = _meter.Usage;
    }

    public UdpShard Shard { get; }

    public ServeTally Tally { get; } = new();

    /// <summary>Peers that it keeps something about; null where it keeps nothing. Any thread may ask.</summary>
    public virtual int? Sessions => null;

    /// <summary>What the work came to: read, so that it is done.</summary>
    public uint WorkResult => Volatile.Read(ref _workResult);

    /// <summary>What the thread has used since the handler was made; any thread may ask.</summary>
    public ThreadUsage Usage => (_usageAtEnd ?? _meter.Usage) - _usageBefore;

    /// <inheritdoc/>
    public sealed override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        (_bytes, _smallestBytes, _largestBytes) = (0, int.MaxValue, -1);
        int counted = Handle(batch, replies);
        if (counted == 0) return;
        Tally.CountCall(counted, _bytes, _smallestBytes, _largestBytes, _time.GetTimestamp());
        if (_limit.IsSet) _limit.Take(counted);
    }

    /// <inheritdoc/>
    public override void OnStop(SendBatch replies) => _usageAtEnd = _meter.Usage;

    public void Dispose() => _meter.Dispose();

    /// <summary>Handles a batch and calls <see cref="Visit"/> for each datagram that counts.</summary>
    /// <returns>How many did.</returns>
    protected abstract int Handle(ReceiveBatch batch, SendBatch replies);

    protected void Visit(ReadOnlySpan<byte> payload)
    {
        _bytes += payload.Length;
        _smallestBytes = Math.Min(_smallestBytes, payload.Length);
        _largestBytes = Math.Max(_largestBytes, payload.Length);
        if (_workRounds > 0)
        {
            uint seed = payload.IsEmpty ? 0u : payload[0];
            Volatile.Write(ref _workResult, WorkLoad.Do(_workRounds, _workResult ^ seed));
        }
    }

    /// <summary>Puts a datagram into the replies; sends what is there where they are full.</summary>
    protected void Forward(scoped in Datagram datagram, in UdpEndPoint destination, SendBatch replies)
    {
        if (replies.TryForward(datagram, destination)) return;
        Shard.Flush(replies);
        if (!replies.TryForward(datagram, destination))
        {
            throw new InvalidOperationException("An empty reply batch has no room for a datagram.");
        }
    }
}
