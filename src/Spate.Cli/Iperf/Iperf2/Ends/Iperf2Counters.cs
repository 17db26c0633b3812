using System.Runtime.InteropServices;
using Spate.Cli.Iperf.Iperf2.Wire;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>
/// Counts the numbers of a flow as iperf 2 does. It keeps no record of what arrived, so a copy is out of order to it,
/// and a datagram out of order one that was lost before.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal struct Iperf2Counters
{
    private long _bytes;
    private long _highest;
    private long _missing;
    private long _outOfOrder;
    private double _jitterNanoseconds;
    private long _transitNanoseconds;
    private bool _hasTransit;

    /// <summary>Counts a datagram; for the one that ends a flow its number without the sign.</summary>
    public void Add(long number, int bytes)
    {
        _bytes += bytes;
        if (number > _highest)
        {
            _missing += number - _highest - 1;
            _highest = number;
        }
        else if (number > 0)
        {
            _outOfOrder++;
        }
    }

    /// <summary>Follows how the time on the way varies. Clocks need not agree: only differences count.</summary>
    public void AddTransit(long sentNanoseconds, long arrivalNanoseconds)
    {
        long transit = arrivalNanoseconds - sentNanoseconds;
        if (_hasTransit)
        {
            _jitterNanoseconds += (Math.Abs((double)transit - _transitNanoseconds) - _jitterNanoseconds) / 16;
        }

        _transitNanoseconds = transit;
        _hasTransit = true;
    }

    /// <summary>What was counted after an earlier state of these counters; of new ones for all.</summary>
    public readonly Iperf2Counts Since(in Iperf2Counters earlier)
    {
        long outOfOrder = _outOfOrder - earlier._outOfOrder;
        return new Iperf2Counts(
            Bytes: _bytes - earlier._bytes,
            Lost: Math.Max(0, _missing - earlier._missing - outOfOrder),
            Total: _highest - earlier._highest,
            OutOfOrder: outOfOrder,
            JitterSeconds: _jitterNanoseconds / 1e9);
    }
}
