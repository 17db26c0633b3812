namespace Spate.Serving.Designs;

/// <summary>
/// Decides when spinning pays. A spin costs a CPU for its budget, a sleep costs a wake-up of some 20 to 40 µs; so a
/// thread spins where the mean gap between arrivals is below half the budget, or where its last waits ended within it,
/// and otherwise only tries now and then. A thread that finds that it lost its CPU while spinning stops for a while,
/// since another thread needed the CPU.
/// </summary>
internal sealed class SpinRule(TimeProvider time, TimeSpan budget)
{
    private const int ConvincingHits = 3;
    private const int WaitsPerTrial = 256;
    private const int PausedWaitsAfterPreemption = 1024;

    // Two looks are a system call apart, one to two microseconds; after this long another thread had the CPU.
    private const double PreemptedMicroseconds = 100;

    private readonly double _budgetMicroseconds = budget.TotalMicroseconds;
    private double _meanGapMicroseconds = double.MaxValue;
    private long _lastArrival;
    private long _spinStart;
    private long _lastLook;
    private int _hits;
    private int _waitCount;
    private int _pausedWaits;

    /// <summary>Something arrived, whether after a spin or not.</summary>
    public void OnArrival()
    {
        long now = time.GetTimestamp();
        if (_lastArrival != 0)
        {
            // A mean over some eight arrivals; one long silence must not be remembered for thousands of them.
            double gap = Math.Min(time.GetElapsedTime(_lastArrival, now).TotalMicroseconds, 100 * _budgetMicroseconds);
            _meanGapMicroseconds = _meanGapMicroseconds > 1e9
                ? gap
                : _meanGapMicroseconds + ((gap - _meanGapMicroseconds) / 8);
        }

        _lastArrival = now;
        if (_spinStart != 0) _hits = Math.Min(_hits + 1, ConvincingHits);
        _spinStart = 0;
    }

    /// <summary>Nothing is there: true to look again at once, false to sleep.</summary>
    public bool ShouldLookAgain()
    {
        long now = time.GetTimestamp();
        if (_spinStart == 0) return TryStart(now);
        bool preempted = time.GetElapsedTime(_lastLook, now).TotalMicroseconds > PreemptedMicroseconds;
        _lastLook = now;
        if (!preempted && time.GetElapsedTime(_spinStart, now).TotalMicroseconds < _budgetMicroseconds) return true;
        _spinStart = 0;
        _hits = 0;
        if (preempted) _pausedWaits = PausedWaitsAfterPreemption;
        return false;
    }

    /// <summary>The spin under way ends without a verdict.</summary>
    public void OnGivenUp() => _spinStart = 0;

    private bool TryStart(long now)
    {
        _waitCount++;
        if (_pausedWaits > 0)
        {
            _pausedWaits--;
            return false;
        }

        bool pays = _meanGapMicroseconds < _budgetMicroseconds / 2
            || _hits >= ConvincingHits
            || (_hits > 0 && _waitCount % 4 == 0)
            || _waitCount % WaitsPerTrial == 0;
        if (pays) _spinStart = _lastLook = now;
        return pays;
    }
}
