namespace Spate.Serving.Threading;

/// <summary>
/// Decides whether a thread spins or sleeps. A spin costs at most the longest spin time on a CPU, and a sleep costs a
/// wake-up of some 20 to 40 µs. So a thread spins if the mean gap between arrivals is below half of the longest spin
/// time, or if its last spins ended with an arrival. Otherwise it spins only now and then, as a trial. A thread that
/// was preempted while spinning does not spin for a while, because another thread needs the CPU.
/// </summary>
internal sealed class SpinRule(TimeProvider time, TimeSpan maxSpinTime)
{
    private const int ConvincingHits = 3;
    private const int WaitsPerTrial = 256;
    private const int PausedWaitsAfterPreemption = 1024;

    // Two looks at the sockets are 1 to 2 µs apart, the time of one system call. A gap longer than this constant means
    // that another thread had the CPU.
    private const double PreemptedMicroseconds = 100;

    private readonly double _maxSpinMicroseconds = maxSpinTime.TotalMicroseconds;
    private double _meanGapMicroseconds = double.MaxValue;
    private long _lastArrival;
    private long _spinStart;
    private long _lastLook;
    private int _hits;
    private int _waitCount;
    private int _pausedWaits;

    /// <summary>Called when datagrams have arrived, whether the thread was spinning or not.</summary>
    public void OnArrival()
    {
        long now = time.GetTimestamp();
        if (_lastArrival != 0)
        {
            // A moving mean over about eight arrivals. Each gap is limited, so that one long silence is soon forgotten.
            double gap = Math.Min(time.GetElapsedTime(_lastArrival, now).TotalMicroseconds, 100 * _maxSpinMicroseconds);
            _meanGapMicroseconds = _meanGapMicroseconds > 1e9
                ? gap
                : _meanGapMicroseconds + ((gap - _meanGapMicroseconds) / 8);
        }

        _lastArrival = now;
        if (_spinStart != 0) _hits = Math.Min(_hits + 1, ConvincingHits);
        _spinStart = 0;
    }

    /// <summary>
    /// Called when all sockets are empty. Returns true if the thread looks at them again at once, false if it sleeps.
    /// </summary>
    public bool ShouldLookAgain()
    {
        long now = time.GetTimestamp();
        if (_spinStart == 0) return TryStart(now);
        bool preempted = time.GetElapsedTime(_lastLook, now).TotalMicroseconds > PreemptedMicroseconds;
        _lastLook = now;
        if (!preempted && time.GetElapsedTime(_spinStart, now).TotalMicroseconds < _maxSpinMicroseconds) return true;
        _spinStart = 0;
        _hits = 0;
        if (preempted) _pausedWaits = PausedWaitsAfterPreemption;
        return false;
    }

    /// <summary>Ends a running spin, which counts neither as a success nor as a failure.</summary>
    public void OnGivenUp() => _spinStart = 0;

    private bool TryStart(long now)
    {
        _waitCount++;
        if (_pausedWaits > 0)
        {
            _pausedWaits--;
            return false;
        }

        bool pays = _meanGapMicroseconds < _maxSpinMicroseconds / 2
            || _hits >= ConvincingHits
            || (_hits > 0 && _waitCount % 4 == 0)
            || _waitCount % WaitsPerTrial == 0;
        if (pays) _spinStart = _lastLook = now;
        return pays;
    }
}
