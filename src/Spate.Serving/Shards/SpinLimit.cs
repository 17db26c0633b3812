namespace Spate.Serving.Shards;

/// <summary>
/// How many threads of the process spin at the moment: never so many that no CPU is left for those who would end the
/// wait, the sender on the same machine among them.
/// </summary>
internal sealed class SpinLimit(int cpuCount)
{
    private int _spinnerCount;

    public static SpinLimit OfProcess { get; } = new(Environment.ProcessorCount);

    /// <summary>Short where two CPUs are all there is: on one of them somebody wants to run.</summary>
    public TimeSpan Budget => TimeSpan.FromMicroseconds(cpuCount <= 2 ? 10 : 50);

    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _spinnerCount) < cpuCount) return true;
        Leave();
        return false;
    }

    public void Leave() => Interlocked.Decrement(ref _spinnerCount);
}
