using Spate.Measurement.HostUse;

namespace Spate.Cli.Serve;

/// <summary>What one handler has counted. Only its thread writes; any thread may read.</summary>
internal sealed class ServeCounters
{
    private readonly CallCounters _calls = new();
    private long _bytes;
    private long _firstTicks;
    private long _lastTicks;
    private long _unanswered;
    private long _wornOut;
    private long _withheld;
    private long _announcements;
    private int _minBytes = int.MaxValue;
    private int _maxBytes = -1;

    public CallCounters Calls => _calls;

    public long Bytes => Volatile.Read(ref _bytes);

    public int MinBytes => Volatile.Read(ref _minBytes);

    public int MaxBytes => Volatile.Read(ref _maxBytes);

    /// <summary>Time stamp of the first call; 0 before it.</summary>
    public long FirstTicks => Volatile.Read(ref _firstTicks);

    public long LastTicks => Volatile.Read(ref _lastTicks);

    /// <summary>Datagrams that the application had reason not to answer or forward because of their peer.</summary>
    public long Unanswered => Volatile.Read(ref _unanswered);

    public long WornOut => Volatile.Read(ref _wornOut);

    public long Withheld => Volatile.Read(ref _withheld);

    /// <summary>Announcements of an end that were forwarded.</summary>
    public long Announcements => Volatile.Read(ref _announcements);

    public void CountCall(int datagrams, long bytes, int minBytes, int maxBytes, long nowTicks)
    {
        if (_calls.Calls == 0) Volatile.Write(ref _firstTicks, nowTicks);
        Volatile.Write(ref _lastTicks, nowTicks);
        Volatile.Write(ref _bytes, _bytes + bytes);
        if (minBytes < _minBytes) Volatile.Write(ref _minBytes, minBytes);
        if (maxBytes > _maxBytes) Volatile.Write(ref _maxBytes, maxBytes);
        _calls.Count(datagrams);
    }

    public void CountAnnouncement() => Volatile.Write(ref _announcements, _announcements + 1);

    public void CountUnanswered() => Volatile.Write(ref _unanswered, _unanswered + 1);

    public void CountWornOut() => Volatile.Write(ref _wornOut, _wornOut + 1);

    public void CountWithheld() => Volatile.Write(ref _withheld, _withheld + 1);
}
