using System.Runtime.InteropServices;

namespace Spate.Measurement.Counting;

/// <summary>
/// Counts the datagrams of a stream that arrived after a deadline behind the fastest one. When a datagram arrives,
/// neither the drift of the clocks nor the fastest one is known for certain. So the datagrams of the last
/// <see cref="MaxSlices"/> slices of time are kept in a histogram of delays each, and are judged by what is known when
/// they are read; a slice that makes room for a new one is judged for good. Used by one thread at a time.
/// </summary>
/// <remarks>
/// A bin counts as late if its lowest delay is. So no datagram in time counts, and a late one is missed if it is late
/// by less than <see cref="ToleranceNanoseconds"/>. Where clocks drift, the drift within a slice is added to that, and
/// more are missed with a deadline below twice the drift within a block of the line: the line may be above the fastest
/// datagram of a slice by so much, and all that is slow joins the last bin of the slice.
/// </remarks>
internal sealed class DeadlineCounter
{
    private const int MaxSlices = 80; // ten seconds, longer than the drift takes to be known
    private const long SliceNanoseconds = 125_000_000;
    private const int BinsPerDeadline = 32;
    private const int BinsPerSlice = 2 * BinsPerDeadline;
    private const long MaxBin = 1L << 60; // delays come from the network: no difference of two bins overflows

    private readonly DelayFloor _floor;
    private readonly long _deadline;
    private readonly int[] _counts = new int[MaxSlices * BinsPerSlice];
    private readonly Slice[] _slices = new Slice[MaxSlices];
    private long _reference; // a delay; bins are counted from here
    private int _begun; // the slices so far, of which the last ones are kept
    private long _judged;

    public DeadlineCounter(DelayFloor floor, long deadlineNanoseconds)
    {
        _floor = floor;
        _deadline = deadlineNanoseconds;
        ToleranceNanoseconds = (deadlineNanoseconds / BinsPerDeadline) + 1;
    }

    /// <summary>The width of a bin.</summary>
    public long ToleranceNanoseconds { get; }

    /// <summary>How many datagrams were late, by all that is known now.</summary>
    public long Count
    {
        get
        {
            long count = _judged;
            for (int i = Math.Max(0, _begun - MaxSlices); i < _begun; i++) count += CountLate(i % MaxSlices);
            return count;
        }
    }

    /// <summary>The delay is the arrival less the time of sending, which is by another clock; in nanoseconds.</summary>
    public void Add(long arrival, long delay, int datagramCount)
    {
        if (_begun == 0) _reference = delay;
        long bin = Math.DivRem(delay - _reference, ToleranceNanoseconds, out long rest) - (rest < 0 ? 1 : 0);
        bin = Math.Clamp(bin, -MaxBin, MaxBin);
        int index = (_begun - 1) % MaxSlices;
        if (_begun == 0 || arrival >= _slices[index].Begin + SliceNanoseconds) index = BeginSlice(arrival, bin);

        ref Slice slice = ref _slices[index];
        slice.Begin = Math.Min(slice.Begin, arrival); // threads do not post their datagrams in order
        slice.End = Math.Max(slice.End, arrival);
        if (bin < slice.LowestBin) Lower(ref slice, BinsOf(index), bin);
        int offset = (int)Math.Min(bin - slice.LowestBin, BinsPerSlice - 1);
        BinsOf(index)[offset] += datagramCount;
        slice.HighestOffset = Math.Max(slice.HighestOffset, offset);
    }

    private Span<int> BinsOf(int slice) => _counts.AsSpan(slice * BinsPerSlice, BinsPerSlice);

    private int BeginSlice(long arrival, long bin)
    {
        int index = _begun % MaxSlices;
        if (_begun >= MaxSlices) _judged += CountLate(index);
        _begun = index + 1 + (_begun >= MaxSlices ? MaxSlices : 0);
        BinsOf(index).Clear();
        _slices[index] = new Slice { Begin = arrival, End = arrival, LowestBin = bin };
        return index;
    }

    /// <summary>Makes room below the bins of a slice. What leaves at the top joins the last bin.</summary>
    private static void Lower(ref Slice slice, Span<int> bins, long lowestBin)
    {
        int shift = (int)Math.Min(slice.LowestBin - lowestBin, BinsPerSlice - 1);
        int last = 0;
        foreach (int count in bins[(BinsPerSlice - 1 - shift)..]) last += count;
        bins[..^shift].CopyTo(bins[shift..]);
        bins[..shift].Clear();
        bins[^1] = last;
        slice.LowestBin = lowestBin;
        slice.HighestOffset = Math.Min(slice.HighestOffset + shift, BinsPerSlice - 1);
    }

    private long CountLate(int index)
    {
        // The line rises or falls within a slice: its higher end gives every datagram the longer time.
        ref readonly Slice slice = ref _slices[index];
        long latest = Math.Max(_floor.At(slice.Begin), _floor.At(slice.End)) + _deadline;
        long lowest = _reference + (slice.LowestBin * ToleranceNanoseconds);

        // The lowest delay of bin n is lowest + n * width; the first late one is the first with more than the latest.
        long first = latest < lowest ? 0 : Math.Max(0, (latest - lowest) / ToleranceNanoseconds) + 1;
        long count = 0;
        for (long i = first; i <= slice.HighestOffset; i++) count += BinsOf(index)[(int)i];
        return count;
    }

    [StructLayout(LayoutKind.Auto)]
    private record struct Slice(long Begin, long End, long LowestBin, int HighestOffset);
}
