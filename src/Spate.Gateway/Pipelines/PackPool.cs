namespace Spate.Gateway.Pipelines;

/// <summary>
/// The buffers of a pipeline: made when they are first needed, never more than there is memory for. Under the
/// pipeline's lock, besides <see cref="FreeCount"/>.
/// </summary>
internal sealed class PackPool(int maxCount, int packBytes)
{
    // The last one that came back goes out first: its bytes may still be in a cache.
    private readonly Stack<PackBuffer> _free = [];
    private int _freeCount = maxCount;

    public int MaxCount { get; } = maxCount;

    /// <summary>Buffers that can be taken. Any thread may read it, to save taking the lock for nothing.</summary>
    public int FreeCount => Volatile.Read(ref _freeCount);

    /// <summary>Takes an empty buffer, or returns null: all are in use.</summary>
    public PackBuffer? TryTake()
    {
        if (_freeCount == 0) return null;
        Volatile.Write(ref _freeCount, _freeCount - 1);
        return _free.TryPop(out PackBuffer? pack) ? pack : new PackBuffer(packBytes);
    }

    public void GiveBack(PackBuffer pack)
    {
        pack.Reset();
        _free.Push(pack);
        Volatile.Write(ref _freeCount, _freeCount + 1);
    }
}
