using System.Globalization;
using Spate.Measurement.Accounting;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>Reads one socket and counts its datagrams.</summary>
internal sealed class ReceiveFlow(
    int index, UdpSocket socket, DatagramLimit limit, TimeSpan? duration, TimeProvider time)
    : TrafficFlow(index, socket)
{
    // The largest datagram of any program fits. A slot costs memory only once a datagram was received into it.
    private const int SlotBytes = 65_535;
    private const int StreamNameDigits = 4;

    // The longest delay before a stop is noticed.
    private static readonly TimeSpan ReceivePatience = TimeSpan.FromMilliseconds(100);

    // Taken once per batch by this flow's thread and once per interval by the reader, because the table is not
    // thread-safe.
    private readonly Lock _lock = new();
    private readonly StreamTable _table = new();
    private long _datagrams;
    private long _bytes;
    private int _minBytes = int.MaxValue;
    private int _maxBytes = -1;

    /// <summary>Valid after the run.</summary>
    public long Datagrams => _datagrams;

    /// <summary>Valid after the run.</summary>
    public long Bytes => _bytes;

    /// <summary>Receives that brought only announcements. Valid after the run.</summary>
    public long CallsWithoutData { get; private set; }

    /// <summary>Valid after the run.</summary>
    public StreamTotals Totals => _table.Totals;

    /// <summary>The size of all datagrams; null where sizes varied or nothing arrived.</summary>
    public static int? CommonSize(ReceiveFlow[] flows)
    {
        int minBytes = flows.Min(static flow => flow._minBytes);
        int maxBytes = flows.Max(static flow => flow._maxBytes);
        return minBytes == maxBytes ? minBytes : null;
    }

    public override void Run(CancellationToken stop)
    {
        using ReceiveBatch batch = Socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotBytes = SlotBytes });
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

            if (status != ReceiveStatus.Received) continue;

            Take(batch, now);
        }

        TakeQueued(batch, now);
    }

    public override FlowCounts Sample(Dictionary<string, FlowCounts> parts)
    {
        lock (_lock)
        {
            foreach (TestStream stream in _table.Streams)
            {
                SequenceCounts counts = stream.Counts;
                string name = stream.Id.ToString("x16", CultureInfo.InvariantCulture)[..StreamNameDigits];
                parts[name] = parts.GetValueOrDefault(name)
                    + new FlowCounts(counts.Received, stream.Bytes, counts.Lost);
            }

            return new FlowCounts(_datagrams, _bytes, _table.Totals.Counts.Lost);
        }
    }

    /// <summary>What the streams have come to; any thread may call at any time.</summary>
    public StreamTotals ReadTotals()
    {
        lock (_lock) return _table.Totals;
    }

    /// <summary>Notes that a stream begins with datagram 0; before the run.</summary>
    public void Begin(ulong streamId) => _table.Open(streamId)?.Begin(first: 0);

    /// <summary>Notes how many datagrams a stream had, as an announcement does. Any thread may call.</summary>
    public void End(ulong streamId, long total)
    {
        lock (_lock) _table.End(streamId, total);
    }

    /// <summary>The streams that were followed to the end of the run.</summary>
    public IEnumerable<StreamReport> StreamReports() => StreamReport.AllOf(_table);

    // Datagrams queued in the socket have arrived, so they count. The time limit lets the run end even while a sender
    // goes on.
    private void TakeQueued(ReceiveBatch batch, long endTicks)
    {
        while (!limit.IsReached
            && time.GetElapsedTime(endTicks) < ReceivePatience
            && Socket.TryReceive(batch) == ReceiveStatus.Received)
        {
            Take(batch, endTicks);
        }
    }

    private void Take(ReceiveBatch batch, long now)
    {
        if (Count(batch) == 0)
        {
            CallsWithoutData++;
            return;
        }

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

    private int Count(ReceiveBatch batch)
    {
        int counted = 0;
        lock (_lock)
        {
            foreach (Datagram datagram in batch)
            {
                int payloadBytes = datagram.Payload.Length;
                bool isData = !limit.IsReached
                    && _table.Add(datagram.Payload) is TestDatagramKind.Data or TestDatagramKind.Other;
                if (!isData || !limit.TryTake()) continue;

                counted++;
                _bytes += payloadBytes;
                _minBytes = Math.Min(_minBytes, payloadBytes);
                _maxBytes = Math.Max(_maxBytes, payloadBytes);
            }

            _datagrams += counted;
        }

        return counted;
    }
}
