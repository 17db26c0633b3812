namespace Spate.Hashing;

/// <summary>
/// A hash that is made when it is first asked for. Unlike that of a static constructor its failure does not last: the
/// next caller makes it again. Any thread may ask.
/// </summary>
/// <param name="create">Makes it, or throws.</param>
internal sealed class HashOnce(Func<KeyedHash> create)
{
    private readonly Lock _lock = new();
    private KeyedHash _hash;
    private volatile bool _isMade;

    public ref readonly KeyedHash Value
    {
        get
        {
            if (!_isMade) Make();
            return ref _hash;
        }
    }

    private void Make()
    {
        lock (_lock)
        {
            if (_isMade) return;
            _hash = create();
            _isMade = true;
        }
    }
}
