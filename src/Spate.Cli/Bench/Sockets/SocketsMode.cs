using System.Collections.Concurrent;
using Spate.Cli.Bench.Targets;

namespace Spate.Cli.Bench.Sockets;

/// <summary>A way to empty many sockets.</summary>
internal abstract class SocketsMode : IDisposable
{
    public abstract string Name { get; }

    /// <summary>Runs before the sockets are filled. Not measured.</summary>
    public virtual void Prepare()
    {
    }

    /// <summary>Receives until <paramref name="count"/> have come or none is left; returns how many came.</summary>
    public abstract long Drain(long count);

    /// <summary>Runs after the sockets are empty. Not measured.</summary>
    public virtual void Finish()
    {
    }

    public virtual void Dispose() => GC.SuppressFinalize(this);
}

/// <summary>A way to empty the sockets of a set, with the batch of the measuring thread.</summary>
internal abstract class BatchMode(FilledSockets set) : SocketsMode
{
    /// <summary>Sum of peer ports and first bytes, so that the compiler cannot leave out reading them.</summary>
    public long Checksum { get; protected set; }

    protected FilledSockets Set { get; } = set;

    protected ReceiveBatch Batch { get; } = set.CreateBatch();

    public override void Dispose()
    {
        Batch.Dispose();
        base.Dispose();
    }

    protected long Visit(ReceiveBatch batch)
    {
        BatchVisit visit = SpateRow.Visit(batch);
        Checksum += visit.Checksum;
        return visit.Datagrams;
    }
}

/// <summary>Receives from each socket in turn, so that no time goes into finding those with datagrams.</summary>
internal sealed class SequentialMode(FilledSockets set) : BatchMode(set)
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

/// <summary>A poller finds the sockets that have datagrams.</summary>
internal sealed class PollerMode : BatchMode
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private readonly UdpPoller<object?> _poller = new();
    private readonly UdpPollCallback<object?> _handler;
    private long _drained;

    public PollerMode(FilledSockets set)
        : base(set) => _handler = (_, batch, _) => _drained += Visit(batch);

    public override string Name => "poller";

    public override void Prepare()
    {
        foreach (UdpSocket socket in Set.Sockets) _poller.Add(socket, null);
    }

    // Waits for missing datagrams: without epoll, a callback reports a socket, and it may come after the first poll.
    public override long Drain(long count)
    {
        _drained = 0;
        while (_poller.Poll(Batch, _handler, _drained < count ? Patience : TimeSpan.Zero) == PollStatus.Received)
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

/// <summary>
/// Awaits every socket. The time is wall time, since other threads take part, and covers the whole wait, from the
/// request for readiness to the continuation on a pool thread.
/// </summary>
internal sealed class AwaitableMode(FilledSockets set, int sizeBytes) : BatchMode(set)
{
    // How often waits that are still pending get a datagram that ends them.
    private const int MaxEndings = 3;

    // After this long without a datagram, those that are missing count as lost.
    private static readonly TimeSpan MaxQuiet = TimeSpan.FromSeconds(2);

    private readonly int _sizeBytes = sizeBytes;
    private readonly ConcurrentBag<ReceiveBatch> _batches = [];
    private readonly Lock _sumLock = new();
    private readonly ManualResetEventSlim _done = new(initialState: true);
    private long _drained;
    private int _pendingCount;

    public override string Name => "awaitable";

    public override long Drain(long count)
    {
        _drained = 0;
        _pendingCount = Set.Sockets.Count;
        _done.Reset();
        foreach (UdpSocket socket in Set.Sockets) _ = DrainAsync(socket);
        long seen;
        do seen = Interlocked.Read(ref _drained);
        while (!_done.Wait(MaxQuiet) && Interlocked.Read(ref _drained) != seen);
        return Interlocked.Read(ref _drained);
    }

    public override void Finish()
    {
        // A wait that is still pending would take a datagram of the next drain.
        for (int i = 0; i < MaxEndings && !_done.IsSet; i++)
        {
            Set.Fill(1, _sizeBytes);
            _done.Wait(MaxQuiet);
        }
    }

    public override void Dispose()
    {
        foreach (ReceiveBatch batch in _batches) batch.Dispose();
        _done.Dispose();
        base.Dispose();
    }

    private async Task DrainAsync(UdpSocket socket)
    {
        if (await socket.WaitReadableAsync().ConfigureAwait(false))
        {
            if (!_batches.TryTake(out ReceiveBatch? batch)) batch = Set.CreateBatch();
            long drained = 0;
            while (socket.TryReceive(batch) == ReceiveStatus.Received)
            {
                lock (_sumLock) drained += Visit(batch);
                if (batch.Count < batch.SlotCount) break;
            }

            _batches.Add(batch);
            Interlocked.Add(ref _drained, drained);
        }

        if (Interlocked.Decrement(ref _pendingCount) == 0) _done.Set();
    }
}
