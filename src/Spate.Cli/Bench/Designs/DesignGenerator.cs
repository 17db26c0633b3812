using System.Buffers.Binary;
using System.Diagnostics;
using Spate.Cli.Bench.Targets;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Bench.Designs;

/// <summary>
/// The generator, which is the same for every row. One thread sends a fixed number of numbered datagrams as fast as it
/// can, a burst from each of its source ports in turn.
/// </summary>
internal sealed class DesignGenerator(
    UdpEndPoint peer, long count, TimeSpan maxTime, DesignOptions options, int flowCount, int? cpu, bool messages)
    : IDisposable
{
    private const int DatagramsPerBurst = 64;

    // The longest time that a send waits before the thread looks whether it is to stop.
    private static readonly TimeSpan MaxSendWait = TimeSpan.FromMilliseconds(100);

    private readonly UdpEndPoint _peer = peer;
    private readonly int _sizeBytes = options.SizeBytes;
    private readonly int _burst = messages ? int.MaxValue : DatagramsPerBurst;
    private readonly Flow[] _flows = [.. Enumerable.Range(0, flowCount).Select(_ => new Flow(messages))];
    private BenchThread? _thread;
    private volatile bool _isStopped;
    private long _sent;
    private long _startTicks;
    private long _ticks;

    /// <summary>Datagrams that the system accepted so far; all of them after <see cref="Join"/>.</summary>
    public long Sent => Volatile.Read(ref _sent);

    /// <summary>Sum of the numbers of all datagrams, without primers. Only meaningful if none was refused.</summary>
    public long NumberSum { get; private set; }

    public long Refused { get; private set; }

    public long GsoFallbacks => _flows.Sum(static flow => flow.Socket.GetCounters().GsoFallbacks);

    /// <summary>The time before the first datagram, in ticks of <see cref="Stopwatch"/>.</summary>
    public long StartTicks => _startTicks;

    public TimeSpan Sending => Stopwatch.GetElapsedTime(0, _ticks);

    public long? CpuNanoseconds => _thread?.CpuNanoseconds;

    public Exception? Failure => _thread?.Failure;

    /// <summary>Sends one datagram through the flow of an index. Only before the start.</summary>
    public void SendPrimer(int index)
    {
        Flow flow = _flows[index % _flows.Length];
        _ = Fill(flow, 1);
        _ = flow.Socket.Send(flow.Batch, MaxSendWait);
        flow.Batch.Clear();
    }

    public void Start()
    {
        // A thread that did not start is not joined.
        var thread = new BenchThread("bench generator", cpu, Run);
        thread.Start();
        _thread = thread;
    }

    /// <summary>Only after the start.</summary>
    public bool Join(TimeSpan timeout) => _thread!.Join(timeout);

    public void Dispose()
    {
        _isStopped = true;
        _ = _thread?.Join(10 * MaxSendWait);
        foreach (Flow flow in _flows)
        {
            flow.Dispose();
        }
    }

    private void Run()
    {
        NumberSum = 0;
        _startTicks = Stopwatch.GetTimestamp();
        long tried = 0;

        // The clock is read between bursts. A datagram in a batch is always sent, so the sums stay comparable.
        for (int next = 0;
            tried < count && !_isStopped && Stopwatch.GetElapsedTime(_startTicks) < maxTime;
            next++)
        {
            Flow flow = _flows[next % _flows.Length];
            tried += Fill(flow, (int)Math.Min(_burst, count - tried));
            while (flow.Batch.Count > 0 && !_isStopped)
            {
                SendResult result = flow.Socket.Send(flow.Batch, MaxSendWait);
                Refused += result.Refused;
                Volatile.Write(ref _sent, _sent + result.Sent);
            }
        }
        _ticks = Stopwatch.GetTimestamp() - _startTicks;
    }

    private int Fill(Flow flow, int max)
    {
        int filled = 0;
        for (; filled < max && flow.Batch.TryReserve(_peer, _sizeBytes, out Span<byte> payload); filled++)
        {
            NumberSum += flow.Next;
            DatagramNumber.Write(payload, flow.StreamId, flow.Next++);
        }
        return filled;
    }

    private sealed class Flow : IDisposable
    {
        public Flow(bool messages)
        {
            Socket = UdpSocket.Bind(UdpEndPoint.Loopback(0), new UdpSocketOptions
            {
                SegmentedSend = messages,
                CoalescedReceive = false,
                SendBufferBytes = BenchOptions.DefaultBufferBytes,
            });
            Batch = Socket.CreateSendBatch();
        }

        public UdpSocket Socket { get; }

        public SendBatch Batch { get; }

        public ulong StreamId { get; } = TestDatagram.NewStreamId();

        public long Next { get; set; }

        public void Dispose()
        {
            Batch.Dispose();
            Socket.Dispose();
        }
    }
}

/// <summary>
/// The handler of every design, one per thread. It adds up the numbers of the datagrams, so that a lost one and a
/// duplicate cannot cancel each other out.
/// </summary>
internal sealed class CountingHandler(int workRounds) : UdpHandler
{
    private uint _workState = 1;
    private int _leastPerCall = int.MaxValue;
    private int _mostPerCall;
    private (long Datagrams, long Calls, long Checksum) _primed;

    /// <summary>Datagrams since <see cref="BeginMeasuring"/>.</summary>
    public long Datagrams => Counters.Datagrams - _primed.Datagrams;

    public long Calls => Counters.Calls - _primed.Calls;

    public long NumberSum => Counters.Checksum - _primed.Checksum;

    /// <summary>The fewest datagrams of a batch; 0 before the first batch.</summary>
    public int LeastPerCall => Calls == 0 ? 0 : Volatile.Read(ref _leastPerCall);

    public int MostPerCall => Volatile.Read(ref _mostPerCall);

    /// <summary>The result of the work. The bench reads it, so that the compiler cannot leave the work out.</summary>
    public uint WorkState => Volatile.Read(ref _workState);

    private BenchCounters Counters { get; } = new();

    /// <summary>Starts counting from zero. The measuring thread calls it while nothing arrives.</summary>
    public void BeginMeasuring()
    {
        _primed = (Counters.Datagrams, Counters.Calls, Counters.Checksum);
        Volatile.Write(ref _leastPerCall, int.MaxValue);
        Volatile.Write(ref _mostPerCall, 0);
    }

    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        int datagrams = 0;
        long bytes = 0;
        long sum = 0;
        uint workState = _workState;
        foreach (Datagram datagram in batch)
        {
            ReadOnlySpan<byte> payload = datagram.Payload;
            if (!DatagramNumber.TryRead(payload, out long number)) continue;
            datagrams++;
            bytes += payload.Length;
            sum += number;
            if (workRounds > 0) workState = WorkLoad.Do(workRounds, workState + (uint)number);
        }
        Volatile.Write(ref _workState, workState);
        if (datagrams < _leastPerCall) Volatile.Write(ref _leastPerCall, datagrams);
        if (datagrams > _mostPerCall) Volatile.Write(ref _mostPerCall, datagrams);
        Counters.Add(datagrams, bytes, sum);
    }
}

/// <summary>
/// The number of a datagram: in the header of <see cref="TestDatagram"/> if it fits, else in 8 bytes.
/// </summary>
internal static class DatagramNumber
{
    public static void Write(Span<byte> payload, ulong streamId, long number)
    {
        if (payload.Length >= TestDatagram.HeaderBytes)
        {
            TestDatagram.WriteData(payload, streamId, number);
        }
        else
        {
            BinaryPrimitives.WriteInt64BigEndian(payload, number);
        }
    }

    public static bool TryRead(ReadOnlySpan<byte> payload, out long number)
    {
        if (payload.Length >= TestDatagram.HeaderBytes)
        {
            bool isOurs = TestDatagram.TryRead(payload, out TestDatagram datagram);
            number = datagram.Sequence;
            return isOurs && datagram.Kind == TestDatagramKind.Data;
        }
        return BinaryPrimitives.TryReadInt64BigEndian(payload, out number);
    }
}
