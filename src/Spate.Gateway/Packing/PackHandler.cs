using Spate.Gateway.Format;
using Spate.Gateway.Pipelines;
using Spate.Serving;

namespace Spate.Gateway.Packing;

/// <summary>
/// Writes the datagrams of a shard into packs. Per datagram there is no lock, no virtual call and no allocation; the
/// pipeline's lock is taken once per batch and once per pack.
/// </summary>
internal sealed class PackHandler : UdpHandler
{
    private readonly ShardPipeline _pipeline;
    private readonly UdpShard _shard;
    private readonly SourceFilter? _filter;
    private readonly Partitioner _partitioner;
    private readonly PackSlot[] _slots;
    private readonly bool[] _hasLocalAddress;
    private readonly TimeProvider _time;
    private readonly PackClock _clock;
    private readonly int _maxCount;
    private readonly long _maxAge;
    private long _notAllowed;

    public PackHandler(ShardPipeline pipeline, UdpShard shard, PackHandlerOptions options)
    {
        _pipeline = pipeline;
        _shard = shard;
        _filter = SourceFilter.Of(options.Gateway, options.Allowed);
        _partitioner = new Partitioner(options.Gateway.PartitionCount, options.Gateway.Partitioning);
        _slots = [.. Enumerable.Range(0, options.Gateway.PartitionCount).Select(partition => new PackSlot(partition))];
        _hasLocalAddress = [.. shard.LocalEndPoints.Select(endPoint => endPoint.Address.IsUnspecified)];
        _time = options.Gateway.Socket.TimeProvider;
        _clock = options.Clock;
        _maxCount = options.Gateway.PackCount ?? int.MaxValue;

        // A pack must not be older than the limit before the next tick looks at it.
        _maxAge = (long)(options.Gateway.PackWait - options.Tick).TotalNanoseconds;
    }

    /// <inheritdoc/>
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        long stamp = _time.GetTimestamp();
        long now = _clock.At(stamp);
        int localIndex = _shard.LocalEndPointIndex;
        bool hasLocalAddress = _hasLocalAddress[localIndex];
        foreach (Datagram datagram in batch)
        {
            ref readonly UdpEndPoint peer = ref datagram.Peer;
            if (_filter is not null && !_filter.Allows(peer, stamp))
            {
                _notAllowed++;
                continue;
            }

            PackSlot slot = _slots[_partitioner.Of(peer)];
            if (slot.Open is null || !TryAdd(slot, datagram, now, localIndex, hasLocalAddress))
            {
                Begin(slot, datagram, now, localIndex, hasLocalAddress);
            }
        }

        _pipeline.Fold(_slots, _notAllowed);
        _notAllowed = 0;
    }

    /// <inheritdoc/>
    public override void OnTick(TimeSpan elapsed, SendBatch replies)
    {
        // Where others wait to be published, a message that is closed now leaves no earlier, and takes a whole buffer.
        if (_pipeline.HasWaiting) return;
        long time = _clock.Now;
        foreach (PackSlot slot in _slots)
        {
            if (slot.OpenCount > 0 && time - slot.Open!.FirstTime >= _maxAge) Submit(slot);
        }
    }

    /// <inheritdoc/>
    public override void OnStop(SendBatch replies)
    {
        foreach (PackSlot slot in _slots) Submit(slot);
        _pipeline.Fold(_slots, _notAllowed);
        _notAllowed = 0;
    }

    private bool TryAdd(PackSlot slot, in Datagram datagram, long now, int localIndex, bool hasLocalAddress)
    {
        PackBuffer open = slot.Open!;
        long sinceFirst = now - open.FirstTime;
        if (open.Count >= _maxCount || sinceFirst > uint.MaxValue) return false;
        Span<byte> rest = open.Bytes.AsSpan(open.UsedBytes);
        int recordBytes = hasLocalAddress
            ? RecordWriter.TryWrite(
                rest, in datagram.Peer, datagram.LocalAddress, localIndex, (uint)sinceFirst, datagram.Payload,
                datagram.IsTruncated)
            : RecordWriter.TryWrite(
                rest, in datagram.Peer, localIndex, (uint)sinceFirst, datagram.Payload, datagram.IsTruncated);
        if (recordBytes == 0) return false;
        open.UsedBytes += recordBytes;
        open.Count++;
        open.LastTime = now;
        slot.Next++;
        return true;
    }

    // The open pack is full, or there is none.
    private void Begin(PackSlot slot, in Datagram datagram, long now, int localIndex, bool hasLocalAddress)
    {
        while (slot.OpenCount > 0)
        {
            Submit(slot);

            // In turn, another partition takes the datagram, and its pack may be open too.
            slot = _slots[_partitioner.Of(datagram.Peer)];
            if (slot.Open is not null && TryAdd(slot, datagram, now, localIndex, hasLocalAddress)) return;
        }

        slot.Open ??= _pipeline.TakeBuffer(slot.Partition);
        if (slot.Open is not { } pack)
        {
            Drop(slot, GatewayDropReason.WindowFull);
            return;
        }

        pack.Partition = slot.Partition;
        BeginRecords(slot, pack, now);
        if (TryAdd(slot, datagram, now, localIndex, hasLocalAddress)) return;

        // Not even an empty pack holds it. The pack stays, and has no room, so that the next datagram begins it anew.
        Drop(slot, GatewayDropReason.Oversized);
        pack.UsedBytes = pack.Bytes.Length;
    }

    private void BeginRecords(PackSlot slot, PackBuffer pack, long now)
    {
        pack.FirstSequence = slot.Next;
        pack.FirstTime = now;
        pack.UsedBytes = _pipeline.Writer.PrefixBytes;
    }

    private void Drop(PackSlot slot, GatewayDropReason reason)
    {
        if (slot.TryDrop(reason)) return;
        _pipeline.Fold(slot);
        slot.TryDrop(reason);
    }

    // An empty pack stays where it is.
    private void Submit(PackSlot slot)
    {
        if (slot.OpenCount == 0) return;
        _pipeline.Writer.WritePrefix(slot.Open!);
        _pipeline.Submit(slot);
        _partitioner.OnSubmitted();
    }
}

/// <summary>What the handlers of all shards have in common.</summary>
/// <param name="Gateway">The options of the gateway, which are valid.</param>
/// <param name="Allowed">The prefixes that may send; null for all.</param>
/// <param name="Clock">The clock of arrivals.</param>
/// <param name="Tick">How often a handler looks at the age of its packs.</param>
internal sealed record PackHandlerOptions(
    UdpGatewayOptions Gateway, PrefixRanges? Allowed, PackClock Clock, TimeSpan Tick);

/// <summary>Which partition a datagram goes to. For one thread.</summary>
internal sealed class Partitioner(int partitionCount, GatewayPartitioning partitioning)
{
    private UdpEndPoint _lastPeer;
    private int _partition;

    /// <summary>The partition of a datagram, from 0.</summary>
    public int Of(in UdpEndPoint peer)
    {
        if (partitionCount == 1 || partitioning == GatewayPartitioning.RoundRobin || peer == _lastPeer)
        {
            return _partition;
        }

        _lastPeer = peer;
        _partition = (int)(((ulong)(uint)peer.GetHashCode() * (uint)partitionCount) >> 32);
        return _partition;
    }

    /// <summary>A pack was closed: in turn, the next partition is filled.</summary>
    public void OnSubmitted()
    {
        if (partitioning == GatewayPartitioning.RoundRobin) _partition = (_partition + 1) % partitionCount;
    }
}
