namespace Spate.Measurement.Serving;

/// <summary>What one handler has counted. Only its thread writes; any thread may read.</summary>
internal sealed class ServeTally
{
    private long _datagrams;
    private long _bytes;
    private long _calls;
    private long _firstTicks;
    private long _lastTicks;
    private long _unanswered;
    private long _announcements;
    private int _minPerCall = int.MaxValue;
    private int _maxPerCall;
    private int _minBytes = int.MaxValue;
    private int _maxBytes = -1;

    // Fewest and most per call of an interval. The reader sets the interval's number; the writer starts over when it
    // sees a new number.
    private int _interval;
    private int _intervalSeen = -1;
    private int _minInInterval;
    private int _maxInInterval;

    public long Datagrams => Volatile.Read(ref _datagrams);

    public long Bytes => Volatile.Read(ref _bytes);

    public long Calls => Volatile.Read(ref _calls);

    /// <summary>0 before the first call.</summary>
    public int MinPerCall => Volatile.Read(ref _maxPerCall) == 0 ? 0 : Volatile.Read(ref _minPerCall);

    public int MaxPerCall => Volatile.Read(ref _maxPerCall);

    public int MinBytes => Volatile.Read(ref _minBytes);

    public int MaxBytes => Volatile.Read(ref _maxBytes);

    /// <summary>Time stamp of the first call; 0 before it.</summary>
    public long FirstTicks => Volatile.Read(ref _firstTicks);

    public long LastTicks => Volatile.Read(ref _lastTicks);

    /// <summary>Datagrams that the application had reason not to answer or forward.</summary>
    public long Unanswered => Volatile.Read(ref _unanswered);

    /// <summary>Announcements of an end that were forwarded.</summary>
    public long Announcements => Volatile.Read(ref _announcements);

    public void CountCall(int datagrams, long bytes, int minBytes, int maxBytes, long nowTicks)
    {
        if (_calls == 0) Volatile.Write(ref _firstTicks, nowTicks);
        Volatile.Write(ref _lastTicks, nowTicks);
        Volatile.Write(ref _datagrams, _datagrams + datagrams);
        Volatile.Write(ref _bytes, _bytes + bytes);
        if (minBytes < _minBytes) Volatile.Write(ref _minBytes, minBytes);
        if (maxBytes > _maxBytes) Volatile.Write(ref _maxBytes, maxBytes);
        if (datagrams < _minPerCall) Volatile.Write(ref _minPerCall, datagrams);
        if (datagrams > _maxPerCall) Volatile.Write(ref _maxPerCall, datagrams);
        CountInInterval(datagrams);
        Volatile.Write(ref _calls, _calls + 1);
    }

    /// <summary>
    /// Takes the fewest and most datagrams per call since the last time this was called; null where there was no call.
    /// Only one thread may call this. A call that is being counted at this moment may be missing in this interval and
    /// the next.
    /// </summary>
    public (int Min, int Max)? TakeInterval()
    {
        int interval = _interval;
        if (Volatile.Read(ref _intervalSeen) != interval) return null;
        (int Min, int Max) taken = (Volatile.Read(ref _minInInterval), Volatile.Read(ref _maxInInterval));
        Volatile.Write(ref _interval, interval + 1);
        return taken;
    }

    public void CountAnnouncement() => Volatile.Write(ref _announcements, _announcements + 1);

    public void CountUnanswered() => Volatile.Write(ref _unanswered, _unanswered + 1);

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
