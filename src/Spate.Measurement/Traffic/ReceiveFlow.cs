using System.Globalization;
using Spate.Measurement.Accounting;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Loss;
using Spate.Measurement.Meters;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>Reads one socket and counts its datagrams.</summary>
internal sealed class ReceiveFlow(
    int index,
    UdpSocket socket,
    DatagramLimit limit,
    TimeSpan? duration,
    TimeProvider time,
    StreamLedger? ledger)
    : TrafficFlow(index, socket)
{
    // The largest datagram of any program fits. A slot costs memory only once a datagram was received into it.
    private const int SlotBytes = 65_535;
    private const int StreamNameDigits = 4;

    // The longest delay before a stop is noticed.
    private static readonly TimeSpan ReceivePatience = TimeSpan.FromMilliseconds(100);

    private readonly LedgerPage? _page = ledger is null ? null : new LedgerPage(ledger);
    private long _datagrams;
    private long _bytes;
    private int _minBytes = int.MaxValue;
    private int _maxBytes = -1;
    private uint _visited;
    private ReaderSchedule? _schedule;

    /// <summary>What became of the streams; null where the flow does not account for them.</summary>
    public StreamLedger? Ledger => ledger;

    /// <summary>Valid after the run.</summary>
    public long Datagrams => _datagrams;

    /// <summary>Valid after the run.</summary>
    public long Bytes => _bytes;

    /// <summary>Receives that brought only announcements. Valid after the run.</summary>
    public long CallsWithoutData { get; private set; }

    /// <summary>The result of visiting datagrams. It is readable so that the visits cannot be optimised away.</summary>
    public uint Visited => Volatile.Read(ref _visited);

    public override ReaderSchedule? Reader => _schedule is null ? null : _schedule with
    {
        Datagrams = _datagrams,
        Drops = Socket.GetCounters().KernelDrops is >= 0 and var drops ? drops : null,
    };

    /// <summary>
    /// The size of all datagrams; null where sizes varied, nothing arrived or datagrams were only visited.
    /// </summary>
    public static int? CommonSize(ReceiveFlow[] flows)
    {
        int minBytes = flows.Min(static flow => flow._minBytes);
        int maxBytes = flows.Max(static flow => flow._maxBytes);
        return minBytes == maxBytes ? minBytes : null;
    }

    public override void Run(CancellationToken stop)
    {
        using ReceiveBatch batch = Socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotBytes = SlotBytes });
        using var meter = new ReaderMeter();
        long startTicks = time.GetTimestamp();
        long endTicks = duration is { } maxDuration
            ? startTicks + (long)(maxDuration.TotalSeconds * time.TimestampFrequency)
            : long.MaxValue;
        StartTicks = long.MaxValue;
        long now = startTicks;
        while (!stop.IsCancellationRequested && !limit.IsReached && now < endTicks)
        {
            ReceiveStatus status = Socket.Receive(batch, Patience(endTicks - now));
            now = time.GetTimestamp();
            if (status == ReceiveStatus.Closed) break;

            if (status == ReceiveStatus.Received) Take(batch, now, now);
            else meter.Pause(_datagrams);
        }

        TakeQueued(batch, now);
        meter.Pause(_datagrams);
        _schedule = meter.Schedule;
    }

    public override FlowCounts Sample(Dictionary<string, FlowCounts> parts)
    {
        long? lost = ledger?.Read(table =>
        {
            foreach (TestStream stream in table.Streams)
            {
                SequenceCounts counts = stream.Counts;
                string name = stream.Id.ToString("x16", CultureInfo.InvariantCulture)[..StreamNameDigits];
                parts[name] = parts.GetValueOrDefault(name)
                    + new FlowCounts(counts.Received, stream.Bytes, counts.Lost);
            }

            return table.Totals.Counts.Lost;
        });
        return new FlowCounts(Volatile.Read(ref _datagrams), Volatile.Read(ref _bytes), lost);
    }

    /// <summary>What the streams have come to; zeros without a ledger. Any thread may call at any time.</summary>
    public StreamTotals ReadTotals() => ledger?.Totals ?? default;

    /// <summary>Notes that a stream begins with datagram 0; before the run.</summary>
    public void Begin(ulong streamId) => ledger?.TryBegin(streamId, first: 0);

    /// <summary>Notes how many datagrams a stream had, as an announcement does. Any thread may call.</summary>
    public void End(ulong streamId, long total) => ledger?.End(streamId, total);

    // Datagrams queued in the socket have arrived, so they count. The time limit lets the run end even while a sender
    // goes on.
    private void TakeQueued(ReceiveBatch batch, long endTicks)
    {
        while (!limit.IsReached
            && time.GetElapsedTime(endTicks) < ReceivePatience
            && Socket.TryReceive(batch) == ReceiveStatus.Received)
        {
            Take(batch, time.GetTimestamp(), endTicks);
        }
    }

    private void Take(ReceiveBatch batch, long arrivalTicks, long now)
    {
        int counted = _page is null ? Visit(batch) : Account(batch, _page, time.ToNanoseconds(arrivalTicks));
        if (counted == 0)
        {
            CallsWithoutData++;
            return;
        }

        Tally.Count(counted);
        StartTicks = Math.Min(StartTicks, now);
        EndTicks = now;
    }

    private TimeSpan Patience(long leftTicks)
    {
        double leftSeconds = leftTicks / (double)time.TimestampFrequency;
        return leftSeconds >= ReceivePatience.TotalSeconds
            ? ReceivePatience
            : TimeSpan.FromMilliseconds(Math.Ceiling(leftSeconds * 1000));
    }

    private int Account(ReceiveBatch batch, LedgerPage page, long arrivalNanoseconds)
    {
        page.Begin(arrivalNanoseconds);
        int counted = 0;
        long bytes = 0;
        (int minBytes, int maxBytes) = (_minBytes, _maxBytes);
        foreach (Datagram datagram in batch)
        {
            ReadOnlySpan<byte> payload = datagram.Payload;
            if (limit.IsReached || !page.Add(payload) || !limit.TryTake()) continue;

            counted++;
            bytes += payload.Length;
            minBytes = Math.Min(minBytes, payload.Length);
            maxBytes = Math.Max(maxBytes, payload.Length);
        }

        page.Post();
        (_minBytes, _maxBytes) = (minBytes, maxBytes);
        Volatile.Write(ref _bytes, _bytes + bytes);
        Volatile.Write(ref _datagrams, _datagrams + counted);
        return counted;
    }

    /// <summary>
    /// Looks at the peer, the length and the first byte of each datagram, which is the least that any program does.
    /// </summary>
    private int Visit(ReceiveBatch batch)
    {
        int counted = 0;
        long bytes = 0;
        uint visited = 0;
        foreach (Datagram datagram in batch)
        {
            if (!limit.TryTake()) break;
            ReadOnlySpan<byte> payload = datagram.Payload;
            visited += (uint)datagram.Peer.Port;
            if (payload.Length > 0) visited += payload[0];
            counted++;
            bytes += payload.Length;
        }

        Volatile.Write(ref _visited, _visited + visited);
        Volatile.Write(ref _bytes, _bytes + bytes);
        Volatile.Write(ref _datagrams, _datagrams + counted);
        return counted;
    }
}
