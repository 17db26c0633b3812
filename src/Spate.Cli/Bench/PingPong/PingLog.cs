using System.Diagnostics;

namespace Spate.Cli.Bench.PingPong;

/// <summary>
/// All round-trip times of one round, in memory allocated before the round. The client's thread writes them. Other
/// threads may use <see cref="Sequence"/>, <see cref="HasCounted"/>, <see cref="LostInARow"/> and <see cref="Stop"/>.
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

        // Written now, since the first write to a page causes a page fault, and none should fall into a round trip.
        Array.Fill(_ticks, -1);
    }

    /// <summary>The number of the current ping, from 1. A watching thread sees by it that the round goes on.</summary>
    public long Sequence => Volatile.Read(ref _sequence);

    /// <summary>Whether a ping after the warm-up is done, so that the round could end with a result.</summary>
    public bool HasCounted => Sequence > _warmUpCount + 1;

    /// <summary>Pings without an answer since the last answer.</summary>
    public int LostInARow => Volatile.Read(ref _lostInARow);

    /// <summary>Round trips after the warm-up.</summary>
    public int Count => Math.Max(0, _answered - _warmUpCount);

    /// <summary>Pings without an answer, including those of the warm-up.</summary>
    public long Lost { get; private set; }

    public void Stop() => _stopped = true;

    /// <summary>Returns false when the round is over.</summary>
    public bool TryNext(out ulong sequence)
    {
        sequence = (ulong)(_sequence + 1);
        if (_stopped || Lost + _answered >= _warmUpCount + _ticks.Length) return false;
        Volatile.Write(ref _sequence, _sequence + 1);
        return true;
    }

    /// <summary>The ticks are those of <see cref="Stopwatch"/>.</summary>
    public void Add(long ticks)
    {
        int index = _answered++ - _warmUpCount;
        if (index >= 0) _ticks[index] = ticks;
        if (_lostInARow != 0) Volatile.Write(ref _lostInARow, 0);
    }

    public void AddLost()
    {
        Lost++;
        Volatile.Write(ref _lostInARow, _lostInARow + 1);
    }

    /// <summary>Sorts the times for <see cref="PercentileMicroseconds"/>. Call it after the last ping.</summary>
    public void Sort() => Array.Sort(_ticks, 0, Count);

    /// <summary>What this share of the round trips, above 0 and at most 100, did not exceed (nearest rank).</summary>
    public double PercentileMicroseconds(double percent)
    {
        int rank = (int)Math.Ceiling(percent / 100 * Count);
        return Stopwatch.GetElapsedTime(0, _ticks[Math.Clamp(rank, 1, Count) - 1]).TotalMicroseconds;
    }
}
