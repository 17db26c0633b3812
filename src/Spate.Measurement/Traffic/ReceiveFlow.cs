using System.Globalization;
using System.Runtime.InteropServices;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Counting;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>Reads one socket and counts its datagrams in the way of one protocol.</summary>
internal abstract class ReceiveFlow(
    int index,
    UdpSocket socket,
    DatagramLimit limit,
    TimeSpan? duration,
    TimeProvider time,
    StreamLedger? ledger)
    : TrafficFlow(index, socket)
{
    private const int StreamNameDigits = 4;
    private const int LooksPerYield = 64;

    // The longest delay before a stop is noticed.
    private static readonly TimeSpan ReceivePatience = TimeSpan.FromMilliseconds(100);

    private long _datagrams;
    private long _bytes;
    private int _minBytes = int.MaxValue;
    private int _maxBytes = -1;
    private ReaderSchedule? _schedule;

    /// <summary>Whether the thread looks again instead of sleeping. Set before the run.</summary>
    public bool Spins { get; set; }

    /// <summary>What became of the streams; null where the flow does not account for them.</summary>
    public StreamLedger? Ledger => ledger;

    /// <summary>Valid after the run.</summary>
    public long Datagrams => _datagrams;

    /// <summary>Valid after the run.</summary>
    public long Bytes => _bytes;

    /// <summary>Receives that brought only announcements. Valid after the run.</summary>
    public long CallsWithoutData { get; private set; }

    public override ReaderSchedule? Reader => _schedule is null ? null : _schedule with
    {
        Datagrams = _datagrams,
        Drops = Socket.GetCounters().KernelDrops,
    };

    /// <summary>Null where sizes varied, nothing arrived or datagrams were only visited.</summary>
    public static int? CommonSize(ReceiveFlow[] flows)
    {
        int minBytes = flows.Min(static flow => flow._minBytes);
        int maxBytes = flows.Max(static flow => flow._maxBytes);
        return minBytes == maxBytes ? minBytes : null;
    }

    public override void Run(CancellationToken stop)
    {
        using ReceiveBatch batch = Socket.CreateReceiveBatch();
        PeerCpu? untold = PeerCpu is { IsPeerKnown: false } ? PeerCpu : null;
        using var meter = new ReaderMeter(untold?.Number);
        untold?.Rehearse();
        long startTicks = time.GetTimestamp();
        long endTicks = duration is { } maxDuration
            ? startTicks + (long)(maxDuration.TotalSeconds * time.TimestampFrequency)
            : long.MaxValue;
        StartTicks = long.MaxValue;
        long now = startTicks;
        Begin();
        while (!stop.IsCancellationRequested && !limit.IsReached && now < endTicks)
        {
            TimeSpan patience = Patience(endTicks - now);
            ReceiveStatus status = Spins ? Spin(batch, patience) : Socket.Receive(batch, patience);
            now = time.GetTimestamp();
            if (status == ReceiveStatus.Closed) break;

            if (status == ReceiveStatus.Received)
            {
                if (untold?.TryTakeFor(batch[0].Peer) == true) meter.OnMoved();
                untold = null;
                Take(batch, now, now);
            }
            else
            {
                meter.Pause(_datagrams);
            }
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

    /// <summary>The batch is not empty; the arrival is by the monotonic clock.</summary>
    protected abstract BatchSum Account(ReceiveBatch batch, long arrivalNanoseconds);

    protected bool TryTake() => limit.TryTake();

    protected bool IsLimitReached => limit.IsReached;

    private void Take(ReceiveBatch batch, long arrivalTicks, long now)
    {
        BatchSum sum = Account(batch, time.ToNanoseconds(arrivalTicks));
        if (sum.Datagrams == 0)
        {
            CallsWithoutData++;
            return;
        }

        _minBytes = Math.Min(_minBytes, sum.MinBytes);
        _maxBytes = Math.Max(_maxBytes, sum.MaxBytes);
        Volatile.Write(ref _bytes, _bytes + sum.Bytes);
        Volatile.Write(ref _datagrams, _datagrams + sum.Datagrams);
        Counters.Count(sum.Datagrams);
        StartTicks = Math.Min(StartTicks, now);
        EndTicks = now;
    }

    // A sender that needs the same CPU could otherwise not end the wait.
    private ReceiveStatus Spin(ReceiveBatch batch, TimeSpan patience)
    {
        long startTicks = time.GetTimestamp();
        for (int look = 1; ; look++)
        {
            ReceiveStatus status = Socket.TryReceive(batch);
            if (status is ReceiveStatus.Received or ReceiveStatus.Closed) return status;
            if (time.GetElapsedTime(startTicks) >= patience) return status;
            if (look % LooksPerYield == 0) Thread.Yield();
        }
    }

    private TimeSpan Patience(long leftTicks)
    {
        double leftSeconds = leftTicks / (double)time.TimestampFrequency;
        return leftSeconds >= ReceivePatience.TotalSeconds
            ? ReceivePatience
            : TimeSpan.FromMilliseconds(Math.Ceiling(leftSeconds * 1000));
    }
}

/// <summary>The datagrams of one receive call that count.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct BatchSum()
{
    public int Datagrams;
    public long Bytes;
    public int MinBytes = int.MaxValue;
    public int MaxBytes = -1;

    public void Add(int payloadBytes)
    {
        Datagrams++;
        Bytes += payloadBytes;
        MinBytes = Math.Min(MinBytes, payloadBytes);
        MaxBytes = Math.Max(MaxBytes, payloadBytes);
    }
}

/// <summary>How many datagrams all flows together may still take.</summary>
internal sealed class DatagramLimit(long? datagramCount)
{
    private long _left = datagramCount ?? 0;

    public bool IsReached => datagramCount is not null && Volatile.Read(ref _left) <= 0;

    public bool TryTake() => datagramCount is null || Interlocked.Decrement(ref _left) >= 0;
}

/// <summary>Accounts for datagrams that carry a <see cref="TestDatagram"/>.</summary>
internal sealed class TestReceiveFlow(
    int index,
    UdpSocket socket,
    DatagramLimit limit,
    TimeSpan? duration,
    TimeProvider time,
    StreamLedger ledger)
    : ReceiveFlow(index, socket, limit, duration, time, ledger)
{
    private readonly BatchCounts _page = new(ledger);

    /// <summary>From datagram 0 on. Other ids are a stranger's and get no memory of their own.</summary>
    public static TestReceiveFlow OfStream(
        int index, UdpSocket socket, ulong streamId, AccountingOptions accounting, TimeProvider time)
    {
        var ledger = new StreamLedger(capacity: 1, options: accounting);
        _ = ledger.TryBegin(streamId, first: 0);
        return new TestReceiveFlow(index, socket, new DatagramLimit(datagramCount: null), duration: null, time, ledger);
    }

    protected override BatchSum Account(ReceiveBatch batch, long arrivalNanoseconds)
    {
        _page.Begin(arrivalNanoseconds);
        var sum = new BatchSum();
        foreach (Datagram datagram in batch)
        {
            ReadOnlySpan<byte> payload = datagram.Payload;
            if (!IsLimitReached && _page.Add(payload) && TryTake()) sum.Add(payload.Length);
        }

        _page.Post();
        return sum;
    }
}

/// <summary>Looks at the peer, the length and the first byte of each, the least that any program does.</summary>
internal sealed class VisitingFlow(
    int index, UdpSocket socket, DatagramLimit limit, TimeSpan? duration, TimeProvider time)
    : ReceiveFlow(index, socket, limit, duration, time, ledger: null)
{
    private uint _visited;

    /// <summary>The result of the visits. It is readable so that they cannot be optimised away.</summary>
    public uint Visited => Volatile.Read(ref _visited);

    protected override BatchSum Account(ReceiveBatch batch, long arrivalNanoseconds)
    {
        var sum = new BatchSum();
        uint visited = 0;
        foreach (Datagram datagram in batch)
        {
            if (!TryTake()) break;
            ReadOnlySpan<byte> payload = datagram.Payload;
            visited += (uint)datagram.Peer.Port;
            if (payload.Length > 0) visited += payload[0];
            sum.Add(payload.Length);
        }

        Volatile.Write(ref _visited, _visited + visited);
        return sum;
    }
}
