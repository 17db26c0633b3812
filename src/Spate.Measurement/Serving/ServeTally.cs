namespace Spate.Measurement.Serving;

/// <summary>What one handler has counted: written by its thread alone, read by any.</summary>
internal sealed class ServeTally
{
    private long _datagrams;
    private long _bytes;
    private long _calls;
    private long _firstTicks;
    private long _lastTicks;
    private long _unanswered;
    private long _announcements;
    private int _leastPerCall = int.MaxValue;
    private int _mostPerCall;
    private int _smallestBytes = int.MaxValue;
    private int _largestBytes = -1;

    // Least and most of an interval: the reader names the interval, the writer begins anew when it sees another one.
    private int _interval;
    private int _intervalSeen = -1;
    private int _leastInInterval;
    private int _mostInInterval;

    public long Datagrams => Volatile.Read(ref _datagrams);

    public long Bytes => Volatile.Read(ref _bytes);

    public long Calls => Volatile.Read(ref _calls);

    /// <summary>0 before the first call.</summary>
    public int LeastPerCall => Volatile.Read(ref _mostPerCall) == 0 ? 0 : Volatile.Read(ref _leastPerCall);

    public int MostPerCall => Volatile.Read(ref _mostPerCall);

    public int SmallestBytes => Volatile.Read(ref _smallestBytes);

    public int LargestBytes => Volatile.Read(ref _largestBytes);

    /// <summary>Time stamp of the first call; 0 before it.</summary>
    public long FirstTicks => Volatile.Read(ref _firstTicks);

    public long LastTicks => Volatile.Read(ref _lastTicks);

    /// <summary>Datagrams that the application had reason not to answer or forward.</summary>
    public long Unanswered => Volatile.Read(ref _unanswered);

    /// <summary>Announcements of an end that were forwarded.</summary>
    public long Announcements => Volatile.Read(ref _announcements);

    public void CountCall(int datagrams, long bytes, int smallestBytes, int largestBytes, long nowTicks)
    {
        if (_calls == 0) Volatile.Write(ref _firstTicks, nowTicks);
        Volatile.Write(ref _lastTicks, nowTicks);
        Volatile.Write(ref _datagrams, _datagrams + datagrams);
        Volatile.Write(ref _bytes, _bytes + bytes);
        if (smallestBytes < _smallestBytes) Volatile.Write(ref _smallestBytes, smallestBytes);
        if (largestBytes > _largestBytes) Volatile.Write(ref _largestBytes, largestBytes);
        if (datagrams < _leastPerCall) Volatile.Write(ref _leastPerCall, datagrams);
        if (datagrams > _mostPerCall) Volatile.Write(ref _mostPerCall, datagrams);
        CountInInterval(datagrams);
        Volatile.Write(ref _calls, _calls + 1);
    }

    /// <summary>
    /// The fewest and most datagrams of the calls since it was asked last, and begins anew; null where there was none.
    /// For one reader. A call that is being counted at this moment may be missing here and in the next interval.
    /// </summary>
    public (int Least, int Most)? TakeInterval()
    {
        int interval = _interval;
        if (Volatile.Read(ref _intervalSeen) != interval) return null;
        (int Least, int Most) taken = (Volatile.Read(ref _leastInInterval), Volatile.Read(ref _mostInInterval));
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
            Volatile.Write(ref _leastInInterval, datagrams);
            Volatile.Write(ref _mostInInterval, datagrams);
            Volatile.Write(ref _intervalSeen, interval);
            return;
        }

        if (datagrams < _leastInInterval) Volatile.Write(ref _leastInInterval, datagrams);
        if (datagrams > _mostInInterval) Volatile.Write(ref _mostInInterval, datagrams);
    }
}
