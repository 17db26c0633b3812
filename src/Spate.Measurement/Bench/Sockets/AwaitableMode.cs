using System.Collections.Concurrent;

namespace Spate.Measurement.Bench.Sockets;

/// <summary>
/// Every socket is awaited, and the few batches are shared: the whole way of a wait that ends, from asking for
/// readiness to the continuation on the pool. Wall time of the whole; it runs on other threads too.
/// </summary>
internal sealed class AwaitableMode(FilledSockets set, int sizeBytes) : SocketsMode(set, sizeBytes)
{
    // A wait of this long without a datagram means that those which are missing were lost.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    // How often waits that had no datagram are given one.
    private const int MaxEndings = 3;

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
        while (!_done.Wait(Patience) && Interlocked.Read(ref _drained) != seen);
        return Interlocked.Read(ref _drained);
    }

    public override void Finish()
    {
        // A wait whose datagram was lost would take one of the next drain.
        for (int i = 0; i < MaxEndings && !_done.IsSet; i++)
        {
            Set.Fill(1, _sizeBytes);
            _done.Wait(Patience);
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
        if (await socket.WaitReadableAsync().ConfigureAwait(false) == ReceiveStatus.Received)
        {
            if (!_batches.TryTake(out ReceiveBatch? batch)) batch = Set.CreateBatch(_sizeBytes);
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
