namespace Spate.Hashing;

/// <summary>
/// A hash that is created on first use. If the creation fails, the next caller tries again. (A static constructor would
/// keep the failure for the life of the process.) Any thread may use this class.
/// </summary>
/// <param name="create">Creates the hash, or throws.</param>
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
