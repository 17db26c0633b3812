namespace Spate.Sockets;

/// <summary>
/// Makes a value when it is first read, and keeps it. A failure is not kept: after an exception, or a value that is not
/// final, the next read tries again.
/// </summary>
internal sealed class RetriedLazy<T>(Func<T> make, Func<T, bool> isFinal)
    where T : class
{
    private readonly Lock _lock = new();
    private T? _value;

    public T Value => Volatile.Read(ref _value) ?? Make();

    private T Make()
    {
        lock (_lock)
        {
            if (_value is not null) return _value;
            T made = make();
            if (isFinal(made)) Volatile.Write(ref _value, made);
            return made;
        }
    }
}
