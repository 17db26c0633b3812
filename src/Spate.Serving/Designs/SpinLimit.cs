namespace Spate.Serving.Designs;

/// <summary>
/// How many threads of the process spin at the moment: never so many that no CPU is left for the threads that would end
/// the wait, such as a sender on the same machine.
/// </summary>
internal sealed class SpinLimit(int cpuCount)
{
    private int _spinnerCount;

    public static SpinLimit OfProcess { get; } = new(Environment.ProcessorCount);

    /// <summary>
    /// The longest spin. Short where there are only two CPUs, since other threads need one of them.
    /// </summary>
    public TimeSpan Budget => TimeSpan.FromMicroseconds(cpuCount <= 2 ? 10 : 50);

    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _spinnerCount) < cpuCount) return true;
        Leave();
        return false;
    }

    public void Leave() => Interlocked.Decrement(ref _spinnerCount);
}
