using Spate.Cli.Iperf.Iperf3.Results;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>Counts datagrams as iperf3 does (iperf_udp.c), to compare figures with its own. One thread.</summary>
internal sealed class ReferenceCounter(int lengthBytes)
{
    private const double NanosecondsPerSecond = 1e9;

    // RFC 1889, A.8: the jitter moves by a sixteenth of the difference.
    private const double Smoothing = 16;

    private long _highest;
    private long _lost;
    private long _outOfOrder;
    private long _bytes;
    private double _jitter;
    private long? _transit;

    public Iperf3Counts Counts => new()
    {
        Bytes = _bytes,
        Packets = _highest,
        Lost = _lost,
        OutOfOrder = _outOfOrder,
        JitterSeconds = _jitter,
    };

    /// <summary>
    /// The counter that its low 32 bits stand for: the nearest one to the highest so far, where iperf3 itself begins
    /// anew. Below 1 for what no sender sends.
    /// </summary>
    public long Extend(uint low) => _highest + (int)(low - (uint)_highest);

    /// <summary>Counts datagrams with consecutive counters, from 1 on. The sender's clock may be any.</summary>
    public void Add(long first, int count, long sentNanoseconds, long arrivalNanoseconds)
    {
        _bytes += (long)count * lengthBytes;
        if (first > _highest) _lost += first - 1 - _highest;

        // A copy counts as out of order too, and takes back a loss: that is iperf3's way.
        long old = Math.Clamp(_highest - first + 1, 0, count);
        _outOfOrder += old;
        _lost -= Math.Min(_lost, old);
        _highest = Math.Max(_highest, first + count - 1);
        SmoothJitter(count, arrivalNanoseconds - sentNanoseconds);
    }

    public void ForgetJitter() => _jitter = 0;

    private void SmoothJitter(int count, long transit)
    {
        double difference = _transit is { } last ? Math.Abs((double)transit - last) / NanosecondsPerSecond : 0;
        _transit = transit;
        _jitter += (difference - _jitter) / Smoothing;

        // The others have the same transit.
        if (count > 1) _jitter *= Math.Pow(1 - (1 / Smoothing), count - 1);
    }
}
