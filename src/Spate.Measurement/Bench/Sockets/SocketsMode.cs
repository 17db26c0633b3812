using Spate.Measurement.Bench.Batched;

namespace Spate.Measurement.Bench.Sockets;

/// <summary>A way to empty many sockets, with what one thread needs for it.</summary>
internal abstract class SocketsMode(FilledSockets set, int sizeBytes) : IDisposable
{
    public abstract string Name { get; }

    /// <summary>Sum over peers and first bytes; kept so that the reading cannot be optimised away.</summary>
    public long Checksum { get; protected set; }

    protected FilledSockets Set { get; } = set;

    protected ReceiveBatch Batch { get; } = set.CreateBatch(sizeBytes);

    /// <summary>Before the sockets are filled; not measured.</summary>
    public virtual void Prepare()
    {
    }

    /// <summary>Receives and visits until nothing is there, or <paramref name="count"/> have come.</summary>
    /// <returns>How many came.</returns>
    public abstract long Drain(long count);

    /// <summary>After the sockets are empty; not measured.</summary>
    public virtual void Finish()
    {
    }

    /// <inheritdoc/>
    public virtual void Dispose() => Batch.Dispose();

    protected long Visit(ReceiveBatch batch)
    {
        BatchVisit visit = SpateRow.Visit(batch);
        Checksum += visit.Checksum;
        return visit.Datagrams;
    }
}

/// <summary>Each socket in turn is asked: what the receives cost without finding out who has something.</summary>
internal sealed class SequentialMode(FilledSockets set, int sizeBytes) : SocketsMode(set, sizeBytes)
{
    public override string Name => "in-turn";

    public override long Drain(long count)
    {
        long drained = 0;
        foreach (UdpSocket socket in Set.Sockets)
        {
            while (socket.TryReceive(Batch) == ReceiveStatus.Received)
            {
                drained += Visit(Batch);
                if (Batch.Count < Batch.SlotCount) break;
            }
        }

        return drained;
    }
}

/// <summary>A poller finds out who has something.</summary>
internal sealed class PollerMode : SocketsMode
{
    private readonly UdpPoller<object?> _poller = new();
    private readonly UdpPollHandler<object?> _handler;
    private long _drained;

    public PollerMode(FilledSockets set, int sizeBytes)
        : base(set, sizeBytes) => _handler = (_, batch, _) => _drained += Visit(batch);

    public override string Name => "poller";

    public override void Prepare()
    {
        foreach (UdpSocket socket in Set.Sockets) _poller.Add(socket, null);
    }

    public override long Drain(long count)
    {
        _drained = 0;
        while (_poller.Poll(Batch, _handler, TimeSpan.Zero) == ReceiveStatus.Received)
        {
        }

        return _drained;
    }

    public override void Finish()
    {
        foreach (UdpSocket socket in Set.Sockets) _poller.Remove(socket);
    }

    public override void Dispose()
    {
        _poller.Dispose();
        base.Dispose();
    }
}
