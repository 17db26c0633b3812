namespace Spate.Waiting;

/// <summary>Operations of one socket that can be used again. Locked: only calls that had to wait come here.</summary>
internal sealed class OperationPool<T>
    where T : PendingOperation
{
    // As many concurrent waits of one kind on one socket are kept; more are left to the collector.
    private const int CountMax = 64;

    private readonly Lock _lock = new();
    private readonly Stack<T> _free = new();

    public T? TryTake()
    {
        lock (_lock)
        {
            return _free.TryPop(out T? operation) ? operation : null;
        }
    }

    public void Return(T operation)
    {
        lock (_lock)
        {
            if (_free.Count < CountMax) _free.Push(operation);
        }
    }
}
