namespace Spate.Serving.Threading;

/// <summary>
/// Limits how many threads of the process spin at the same time, to one less than the number of CPUs. The last CPU is
/// left for the threads whose work would end the spinning, such as a sender on the same machine.
/// </summary>
internal sealed class SpinLimit(int cpuCount)
{
    private int _spinnerCount;

    public static SpinLimit OfProcess { get; } = new(Environment.ProcessorCount);

    /// <summary>
    /// The longest time of a spin. It is shorter with one or two CPUs, because other threads need them.
    /// </summary>
    public TimeSpan MaxSpinTime => TimeSpan.FromMicroseconds(cpuCount <= 2 ? 10 : 50);

    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _spinnerCount) < cpuCount) return true;
        Leave();
        return false;
    }

    public void Leave() => Interlocked.Decrement(ref _spinnerCount);
}
