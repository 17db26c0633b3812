namespace Spate.Measurement.HostUse;

/// <summary>
/// Counts calls that moved datagrams, with the fewest and the most of a call. Only one thread writes; any thread may
/// read.
/// </summary>
internal sealed class CallCounters
{
    private long _datagrams;
    private long _calls;
    private int _minPerCall = int.MaxValue;
    private int _maxPerCall;

    // Fewest and most per call of an interval. The reader sets the interval's number; the writer starts over when it
    // sees a new number.
    private int _interval;
    private int _intervalSeen = -1;
    private int _minInInterval;
    private int _maxInInterval;

    public long Datagrams => Volatile.Read(ref _datagrams);

    public long Calls => Volatile.Read(ref _calls);

    /// <summary>0 before the first call.</summary>
    public int MinPerCall => Volatile.Read(ref _maxPerCall) == 0 ? 0 : Volatile.Read(ref _minPerCall);

    public int MaxPerCall => Volatile.Read(ref _maxPerCall);

    public void Count(int datagrams)
    {
        Volatile.Write(ref _datagrams, _datagrams + datagrams);
        if (datagrams < _minPerCall) Volatile.Write(ref _minPerCall, datagrams);
        if (datagrams > _maxPerCall) Volatile.Write(ref _maxPerCall, datagrams);
        CountInInterval(datagrams);
        Volatile.Write(ref _calls, _calls + 1);
    }

    /// <summary>Null where there was no call. One thread. A call just being counted may be missing.</summary>
    public (int Min, int Max)? TakeInterval()
    {
        int interval = _interval;
        if (Volatile.Read(ref _intervalSeen) != interval) return null;

        (int Min, int Max) taken = (Volatile.Read(ref _minInInterval), Volatile.Read(ref _maxInInterval));
        Volatile.Write(ref _interval, interval + 1);
        return taken;
    }

    private void CountInInterval(int datagrams)
    {
        int interval = Volatile.Read(ref _interval);
        if (interval != _intervalSeen)
        {
            Volatile.Write(ref _minInInterval, datagrams);
            Volatile.Write(ref _maxInInterval, datagrams);
            Volatile.Write(ref _intervalSeen, interval);
            return;
        }

        if (datagrams < _minInInterval) Volatile.Write(ref _minInInterval, datagrams);
        if (datagrams > _maxInInterval) Volatile.Write(ref _maxInInterval, datagrams);
    }
}
