using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>Counts as iperf3 does until the end of the test is told, and exactly until that of the flow.</summary>
internal sealed class Iperf3ReceiveFlow : ReceiveFlow
{
    // What a stranger counts is added up over the streams of a test, which must not overflow.
    private const long MaxCounter = JsonNumbers.MaxCount;

    private readonly Lock _lock = new();
    private readonly ReferenceCounter _reference;
    private readonly BatchCounts _page;
    private readonly ulong _id;
    private readonly int _lengthBytes;
    private readonly bool _is64Bit;
    private bool _isOver;

    public Iperf3ReceiveFlow(
        int index, UdpSocket socket, ulong id, Iperf3Parameters parameters, TimeProvider time)
        : this(index, socket, id, parameters, time, new StreamLedger(capacity: 1))
    {
    }

    private Iperf3ReceiveFlow(
        int index, UdpSocket socket, ulong id, Iperf3Parameters parameters, TimeProvider time, StreamLedger ledger)
        : base(index, socket, new DatagramLimit(datagramCount: null), duration: null, time, ledger)
    {
        _id = id;
        _lengthBytes = parameters.LengthBytes;
        _is64Bit = parameters.Counters64Bit;
        _reference = new ReferenceCounter(_lengthBytes);
        _page = new BatchCounts(ledger);
        _ = ledger.TryBegin(id, first: 0);
    }

    public ulong Id => _id;

    /// <summary>The counts as iperf3 has them. Any thread may ask.</summary>
    public IperfCounts ReferenceCounts
    {
        get
        {
            lock (_lock) return _reference.Counts;
        }
    }

    /// <summary>The time without datagrams that count begins: from now on only the exact account goes on.</summary>
    public void StopReference()
    {
        lock (_lock) _isOver = true;
    }

    /// <summary>What is omitted is over: the jitter begins anew.</summary>
    public void ForgetJitter()
    {
        lock (_lock) _reference.ForgetJitter();
    }

    protected override BatchSum Account(ReceiveBatch batch, long arrivalNanoseconds)
    {
        lock (_lock)
        {
            _page.Begin(arrivalNanoseconds);
            BatchSum sum = AccountRuns(batch, arrivalNanoseconds);
            _page.Post();
            return sum;
        }
    }

    // Datagrams of one GSO message have one time and consecutive numbers: the counters see each such run once.
    private BatchSum AccountRuns(ReceiveBatch batch, long arrivalNanoseconds)
    {
        var sum = new BatchSum();
        (long first, int count, long sent) = (0, 0, 0);
        foreach (Datagram datagram in batch)
        {
            ReadOnlySpan<byte> payload = datagram.Payload;
            if (payload.Length != _lengthBytes
                || !Iperf3Datagram.TryRead(payload, _is64Bit, out long sentNanoseconds, out ulong raw))
            {
                continue;
            }

            if (count > 0 && sentNanoseconds == sent && IsNext(raw, first + count))
            {
                count++;
            }
            else
            {
                EndRun(first, count, sent, arrivalNanoseconds);
                count = 0;
                long counter = CounterOf(raw);
                if (counter is < 1 or > MaxCounter) continue;

                (first, count, sent) = (counter, 1, sentNanoseconds);
            }

            sum.Add(payload.Length);
        }

        EndRun(first, count, sent, arrivalNanoseconds);
        return sum;
    }

    // A request for the stream that was repeated has 0, and no datagram has more than the accounts can hold.
    private long CounterOf(ulong raw) =>
        !_is64Bit ? _reference.Extend((uint)raw) : raw <= MaxCounter ? (long)raw : 0;

    private bool IsNext(ulong raw, long next) => _is64Bit ? raw == (ulong)next : (uint)raw == (uint)next;

    private void EndRun(long first, int count, long sent, long arrivalNanoseconds)
    {
        if (count == 0) return;

        if (!_isOver) _reference.Add(first, count, sent, arrivalNanoseconds);

        // The accounts of this program begin at 0.
        var datagram = new TestDatagram(TestDatagramKind.Data, _id, first - 1) { SentNanoseconds = sent };
        _page.AddData(datagram, count, _lengthBytes);
    }
}

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

    public IperfCounts Counts => new(_bytes, _lost, Total: _highest, _outOfOrder, _jitter);

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

/// <summary>Datagrams with iperf3's header. Its counter begins at 1.</summary>
internal sealed class Iperf3SendStream(UdpEndPoint peer, Iperf3Parameters parameters, ulong id)
    : SendStream(peer, isConnected: true, parameters.LengthBytes, id)
{
    private readonly bool _is64Bit = parameters.Counters64Bit;
    private readonly bool _repeats = parameters.RepeatingPayload;

    public override void Prepare(Span<byte> payload, Random random)
    {
        if (!_repeats)
        {
            base.Prepare(payload, random);
            return;
        }

        for (int i = 0; i < payload.Length; i++)
        {
            payload[i] = (byte)('0' + (i % 10));
        }
    }

    // The protocol has none: the control connection tells.
    public override void FillEnd(SendBatch batch, long nowNanoseconds)
    {
    }

    protected override void Write(Span<byte> payload, long sequence, long sentNanoseconds) =>
        Iperf3Datagram.Write(payload, sentNanoseconds, sequence + 1, _is64Bit);
}
