namespace Spate.Buffers;

/// <summary>
/// Keeps two calls from using one batch at once, which is wrong anyway: the second would retire buffers that the
/// kernel still fills for the first. One interlocked exchange per call.
/// </summary>
internal struct UseFlag
{
    private int _used;

    public void Enter()
    {
        if (Interlocked.CompareExchange(ref _used, 1, 0) == 0) return;
        throw new InvalidOperationException(
            "The batch is in use by another call: give each thread and each awaited call a batch of its own.");
    }

    public void Leave() => Volatile.Write(ref _used, 0);
}
