using System.Collections.Concurrent;

namespace Spate.Cli.Bench.Sockets;

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
