namespace Spate.Tests.Serving;

/// <summary>Something that happens once, or often enough, and is waited for with patience.</summary>
internal sealed class Signal(int count = 1) : IDisposable
{
    private readonly CountdownEvent _left = new(count);

    public bool IsSet => _left.IsSet;

    /// <summary>Once more; what is too much is ignored.</summary>
    public void Set()
    {
        lock (_left)
        {
            if (!_left.IsSet) _left.Signal();
        }
    }

    /// <summary>False after <see cref="ServerCase.Patience"/>.</summary>
    public bool Wait() => _left.Wait(ServerCase.Patience);

    public void Dispose() => _left.Dispose();
}
