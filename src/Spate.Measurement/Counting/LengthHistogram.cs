using System.Numerics;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Counting;

/// <summary>Lengths, counted by powers of two. Number, sum and longest are exact. Not thread-safe.</summary>
internal sealed class LengthHistogram
{
    // One for each power of two up to 2^62: no length is longer than the largest sequence.
    private readonly long[] _counts = new long[63];

    public long Count { get; private set; }

    /// <summary>The sum of the lengths; a sum that would overflow stays at <see cref="long.MaxValue"/>.</summary>
    public long Sum { get; private set; }

    public long Max { get; private set; }

    public double Mean => Statistics.Ratio(Sum, Count);

    /// <summary>The number of lengths from 2^i to 2^(i+1) - 1, up to the longest; empty where there is none.</summary>
    public ReadOnlySpan<long> CountsByPowerOfTwo =>
        _counts.AsSpan(0, Count == 0 ? 0 : BitOperations.Log2((ulong)Max) + 1);

    internal void Add(long length)
    {
        _counts[BitOperations.Log2((ulong)length)]++;
        Count++;
        Sum = Saturating.Add(Sum, length);
        Max = Math.Max(Max, length);
    }

    internal void Add(LengthHistogram other)
    {
        for (int i = 0; i < _counts.Length; i++) _counts[i] += other._counts[i];
        Count += other.Count;
        Sum = Saturating.Add(Sum, other.Sum);
        Max = Math.Max(Max, other.Max);
    }

    internal void Clear()
    {
        Array.Clear(_counts);
        Count = Sum = Max = 0;
    }
}

/// <summary>Lengths that were counted, such as those of loss bursts. All are numbers of datagrams.</summary>
internal sealed record LengthReport
{
    public long Count { get; set; }

    public double Mean { get; set; }

    public long Max { get; set; }

    /// <summary>The number of lengths of 1, of 2 to 3, of 4 to 7 and so on, up to the longest.</summary>
    public long[] CountsByPowerOfTwo { get; set; } = [];

    public override string ToString() => RecordText.Of(
        nameof(LengthReport), PrintMembers, (nameof(CountsByPowerOfTwo), CountsByPowerOfTwo));

    internal static LengthReport From(LengthHistogram lengths) => new()
    {
        Count = lengths.Count,
        Mean = lengths.Mean,
        Max = lengths.Max,
        CountsByPowerOfTwo = lengths.CountsByPowerOfTwo.ToArray(),
    };
}
