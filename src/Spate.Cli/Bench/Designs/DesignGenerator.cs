using System.Diagnostics;
using Spate.Measurement.Counting;

namespace Spate.Cli.Bench.Designs;

/// <summary>
/// The generator, which is the same for every row. One thread sends a fixed number of numbered datagrams as fast as it
/// can, a burst from each of its source ports in turn.
/// </summary>
internal sealed class DesignGenerator : IDisposable
{
    private const int DatagramsPerBurst = 64;

    // The longest time that a send waits before the thread looks whether it is to stop.
    private static readonly TimeSpan MaxSendWait = TimeSpan.FromMilliseconds(100);

    private readonly UdpEndPoint _peer;
    private readonly long _count;
    private readonly TimeSpan _maxTime;
    private readonly int _sizeBytes;
    private readonly int _burst;
    private readonly Flow[] _flows;
    private readonly BenchThread _thread;
    private volatile bool _isStopped;
    private bool _isStarted;
    private long _sent;
    private long _startTicks;
    private long _ticks;

    public DesignGenerator(
        in UdpEndPoint peer,
        long count,
        TimeSpan maxTime,
        DesignOptions options,
        int flowCount,
        int? cpu,
        bool messages)
    {
        _maxTime = maxTime;
        _peer = peer;
        _count = count;
        _sizeBytes = options.SizeBytes;
        _burst = messages ? int.MaxValue : DatagramsPerBurst;
        _flows = new Flow[flowCount];
        for (int i = 0; i < flowCount; i++)
        {
            _flows[i] = new Flow(messages);
        }
        _thread = new BenchThread("bench generator", cpu, Run);
    }

    /// <summary>Datagrams that the system accepted so far; all of them after <see cref="Join"/>.</summary>
    public long Sent => Volatile.Read(ref _sent);

    /// <summary>Sum of the numbers of all datagrams, without primers. Only meaningful if none was refused.</summary>
    public long NumberSum { get; private set; }

    public long Refused { get; private set; }

    public long GsoFallbacks => _flows.Sum(static flow => flow.Socket.GetCounters().GsoFallbacks);

    /// <summary>The time before the first datagram, in ticks of <see cref="Stopwatch"/>.</summary>
    public long StartTicks => _startTicks;

    public TimeSpan Sending => Stopwatch.GetElapsedTime(0, _ticks);

    public long? CpuNanoseconds => _thread.CpuNanoseconds;

    public Exception? Failure => _thread.Failure;

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
        _thread.Start();
        _isStarted = true;
    }

    public bool Join(TimeSpan timeout) => _thread.Join(timeout);

    public void Dispose()
    {
        _isStopped = true;
        if (_isStarted) _ = _thread.Join(10 * MaxSendWait);
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
            tried < _count && !_isStopped && Stopwatch.GetElapsedTime(_startTicks) < _maxTime;
            next++)
        {
            Flow flow = _flows[next % _flows.Length];
            tried += Fill(flow, (int)Math.Min(_burst, _count - tried));
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
