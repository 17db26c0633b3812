using System.Runtime.InteropServices;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Measurement.Counting;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>One flow at the server: an address that sends, and what came from it. Its table's lock guards it.</summary>
internal sealed class Iperf2Peer(
    in UdpEndPoint local, in UdpEndPoint remote, in Iperf2Settings settings, long now, long? drops)
{
    private readonly SequenceTracker _tracker = new();
    private readonly UdpEndPoint _local = local;
    private readonly UdpEndPoint _remote = remote;
    private Iperf2Counters _counters;
    private Iperf2Counters _reported;
    private int _intervals;
    private long _dataBytes;

    public bool IsWide { get; } = settings.IsWide;

    public Iperf2Settings Settings { get; } = settings;

    public long StartNanoseconds { get; } = now;

    public long HeardNanoseconds { get; private set; } = now;

    /// <summary>The flow, once people were told of it.</summary>
    public IperfStream? Stream { get; private set; }

    /// <summary>What the client is answered; null until the flow has ended.</summary>
    public Iperf2ServerReport? Report { get; private set; }

    /// <summary>Datagrams that arrived, without those that end the flow.</summary>
    public long Datagrams => _tracker.Counts.Received;

    public UdpEndPoint Remote => _remote;

    public void Add(in Iperf2Header header, int bytes, long now)
    {
        HeardNanoseconds = now;
        _dataBytes += bytes;
        _tracker.Add(header.Number);
        _counters.Add(header.Number, bytes);
        if (header.SentNanoseconds > 0) _counters.AddTransit(header.SentNanoseconds, now);
    }

    public IperfStream Name(int number) => Stream = new IperfStream(number, _local, _remote);

    /// <summary>Takes the end of the flow, whose number has no sign here; a further one changes nothing.</summary>
    public void End(long number, int bytes, long now)
    {
        HeardNanoseconds = now;
        if (Report is not null) return;

        _tracker.End(number);
        _counters.Add(number, bytes);
        Report = new Iperf2ServerReport(Seconds, _counters.Since(default));
    }

    /// <summary>Takes an interval that is over; null for none.</summary>
    public IperfInterval? TakeInterval(TimeSpan interval, long now)
    {
        if (Stream is null || Report is not null || now < NextBoundary(interval)) return null;

        double start = interval.TotalSeconds * _intervals++;
        IperfCounts counts = _counters.Since(_reported);
        _reported = _counters;
        return new IperfInterval(
            start, interval.TotalSeconds * _intervals, [new IperfRow(Stream.Number, Sends: false, counts)]);
    }

    public long NextBoundary(TimeSpan interval) =>
        StartNanoseconds + (long)(interval.TotalNanoseconds * (_intervals + 1));

    public Iperf2Received ToReceived(Iperf2End end, long? dropsNow, bool isAnswered)
    {
        SequenceCounts exact = _tracker.Counts;

        // Numbers begin with 1. Clients before 2.1 begin with 0, which shows only if that one arrives.
        long beforeFirst = Math.Max(0, exact.MissedBeforeFirst - 1);
        long lost = exact.Received > 0 ? exact.Lost + beforeFirst : Math.Max(0, exact.Lost - 1);
        return new Iperf2Received
        {
            Stream = Stream!,
            Seconds = Seconds,
            End = end,
            Counts = Report?.Counts ?? _counters.Since(default),
            Exact = exact,
            ExactBytes = _dataBytes,
            Lost = lost,
            LostBeforeFirst = beforeFirst,
            SocketDrops = dropsNow is { } current && drops is { } before ? current - before : null,
            IsAnswered = isAnswered,
        };
    }

    private double Seconds => (HeardNanoseconds - StartNanoseconds) / 1e9;
}

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
    public readonly IperfCounts Since(in Iperf2Counters earlier)
    {
        long outOfOrder = _outOfOrder - earlier._outOfOrder;
        return new IperfCounts(
            Bytes: _bytes - earlier._bytes,
            Lost: Math.Max(0, _missing - earlier._missing - outOfOrder),
            Total: _highest - earlier._highest,
            OutOfOrder: outOfOrder,
            JitterSeconds: _jitterNanoseconds / 1e9);
    }
}
