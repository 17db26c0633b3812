using System.Globalization;
using Spate.Measurement.Accounting;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>One socket that is read and counted.</summary>
internal sealed class ReceiveFlow(
    int index, UdpSocket socket, DatagramLimit limit, TimeSpan? duration, TimeProvider time)
    : TrafficFlow(index, socket)
{
    // Any program's datagram is counted whole; slots cost memory only where something was received into them.
    private const int SlotBytes = 65_535;
    private const int StreamNameDigits = 4;

    // How late a stop may be noticed.
    private static readonly TimeSpan ReceivePatience = TimeSpan.FromMilliseconds(100);

    // Taken once a batch by this flow's thread and once an interval by the reader: the table has one thread by itself.
    private readonly Lock _lock = new();
    private readonly StreamTable _table = new();
    private long _datagrams;
    private long _bytes;
    private int _smallestBytes = int.MaxValue;
    private int _largestBytes = -1;

    /// <summary>Read after the run.</summary>
    public long Datagrams => _datagrams;

    /// <summary>Read after the run.</summary>
    public long Bytes => _bytes;

    /// <summary>Receives that brought nothing but announcements; read after the run.</summary>
    public long CallsWithoutData { get; private set; }

    /// <summary>Read after the run.</summary>
    public StreamTotals Totals => _table.Totals;

    /// <summary>The one size of all datagrams; null where sizes varied or nothing came.</summary>
    public static int? CommonSize(ReceiveFlow[] flows)
    {
        int smallestBytes = flows.Min(static flow => flow._smallestBytes);
        int largestBytes = flows.Max(static flow => flow._largestBytes);
        return smallestBytes == largestBytes ? smallestBytes : null;
    }

    public override void Run(CancellationToken stop)
    {
        using ReceiveBatch batch = Socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotBytes = SlotBytes });
        long startTicks = time.GetTimestamp();
        long endTicks = duration is { } longest
            ? startTicks + (long)(longest.TotalSeconds * time.TimestampFrequency)
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

    /// <summary>The streams that were followed to the end of the run.</summary>
    public IEnumerable<StreamReport> StreamReports()
    {
        var reports = new List<StreamReport>();
        foreach (TestStream stream in _table.Streams)
        {
            reports.Add(StreamReport.From(stream));
        }

        return reports;
    }

    // What is in the socket has arrived, so it counts; a sender that goes on meanwhile does not keep the run from
    // ending.
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
                _smallestBytes = Math.Min(_smallestBytes, payloadBytes);
                _largestBytes = Math.Max(_largestBytes, payloadBytes);
            }

            _datagrams += counted;
        }

        return counted;
    }
}
