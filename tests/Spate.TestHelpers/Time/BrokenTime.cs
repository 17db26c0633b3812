namespace Spate.TestHelpers.Time;

/// <summary>The system's clock, which fails once where no handler is to blame.</summary>
/// <param name="threadName">The thread on which it fails; null for any.</param>
internal sealed class BrokenTime(string? threadName = null) : TimeProvider
{
    private int _isBroken;

    /// <summary>Lets the next look at it fail.</summary>
    public void Break() => Volatile.Write(ref _isBroken, 1);

    public override long GetTimestamp()
    {
        bool isHere = threadName is null
            || string.Equals(threadName, Thread.CurrentThread.Name, StringComparison.Ordinal);
        return isHere && Interlocked.Exchange(ref _isBroken, 0) == 1
            ? throw new NotSupportedException("The clock is broken.")
            : base.GetTimestamp();
    }
}
