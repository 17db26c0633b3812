using System.Diagnostics;

namespace Spate.Measurement.Bench.PingPong;

/// <summary>
/// Round-trip times of one round, every one of them, in memory that is there before the first. The client writes;
/// <see cref="Sequence"/>, <see cref="HasCounted"/>, <see cref="LostInARow"/> and <see cref="Stop"/> are for another
/// thread too.
/// </summary>
internal sealed class PingLog
{
    private readonly long[] _ticks;
    private readonly int _warmUpCount;
    private long _sequence;
    private int _answered;
    private int _lostInARow;
    private volatile bool _stopped;

    public PingLog(int warmUpCount, int count)
    {
        _warmUpCount = warmUpCount;
        _ticks = new long[count];

        // Touched now, since the first write to a page would be a fault in the middle of a round trip.
        Array.Fill(_ticks, -1);
    }

    /// <summary>The ping under way, from 1; a watcher sees by it whether things move.</summary>
    public long Sequence => Volatile.Read(ref _sequence);

    /// <summary>Whether pings beyond the warm-up are done: then ending the round leaves something to report.</summary>
    public bool HasCounted => Sequence > _warmUpCount + 1;

    /// <summary>Pings without an answer since the last answer.</summary>
    public int LostInARow => Volatile.Read(ref _lostInARow);

    /// <summary>Round trips counted, those of the warm-up not.</summary>
    public int Count => Math.Max(0, _answered - _warmUpCount);

    /// <summary>Pings without an answer, those of the warm-up too.</summary>
    public long Lost { get; private set; }

    /// <summary>Ends the round before its count is full.</summary>
    public void Stop() => _stopped = true;

    /// <summary>The next ping's number; false when the round is over.</summary>
    public bool TryNext(out ulong sequence)
    {
        sequence = (ulong)(_sequence + 1);
        if (_stopped || Lost + _answered >= _warmUpCount + _ticks.Length) return false;
        Volatile.Write(ref _sequence, _sequence + 1);
        return true;
    }

    /// <summary>The ping was answered after so many ticks of <see cref="Stopwatch"/>.</summary>
    public void Add(long ticks)
    {
        int index = _answered++ - _warmUpCount;
        if (index >= 0) _ticks[index] = ticks;
        if (_lostInARow != 0) Volatile.Write(ref _lostInARow, 0);
    }

    /// <summary>The ping was not answered in time.</summary>
    public void AddLost()
    {
        Lost++;
        Volatile.Write(ref _lostInARow, _lostInARow + 1);
    }

    /// <summary>Puts the times in order for <see cref="PercentileMicroseconds"/>; after the last ping.</summary>
    public void Sort() => Array.Sort(_ticks, 0, Count);

    /// <summary>The time that this share of the round trips did not exceed: nearest rank, a time that was.</summary>
    /// <param name="percent">Above 0, at most 100.</param>
    public double PercentileMicroseconds(double percent)
    {
        int rank = (int)Math.Ceiling(percent / 100 * Count);
        return Stopwatch.GetElapsedTime(0, _ticks[Math.Clamp(rank, 1, Count) - 1]).TotalMicroseconds;
    }
}
