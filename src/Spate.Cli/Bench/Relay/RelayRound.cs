using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Relay;

/// <summary>Runs one relay for one round: opens sink, relay and generator, sends, and lets the relay drain.</summary>
internal sealed class RelayRound(RelayOptions options, CpuPlacement placement, CancellationToken cancellationToken)
{
    public const string NothingCame = "no datagram left the relay";

    /// <summary>The time that a round takes besides its measured part.</summary>
    public static readonly TimeSpan Overhead = TimeSpan.FromMilliseconds(150);

    // The first datagrams still cause compilation and page faults, so they are not measured.
    private static readonly TimeSpan Settling = TimeSpan.FromMilliseconds(60);

    private static readonly TimeSpan MaxDrain = TimeSpan.FromSeconds(3);

    // On a busy machine, the relay can be without a CPU for this long. The wait takes time only if datagrams were lost.
    private static readonly TimeSpan MaxQuiet = TimeSpan.FromMilliseconds(500);

    public RelayMeasurement Run(RelayTarget target, bool usesGso, TimeSpan duration)
    {
        using var sink = new RelaySink(placement.SenderCpu);
        using BenchServer relay = target.Open(sink.LocalEndPoint, placement.ReceiverCpu);
        using var generator = new RelayGenerator(
            options, usesGso, relay.LocalEndPoint, Settling + duration, placement.SenderCpu);
        return Measure(sink, relay, generator, duration);
    }

    private RelayMeasurement Measure(
        RelaySink sink, BenchServer relay, RelayGenerator generator, TimeSpan duration)
    {
        // This row must not pay for the garbage of earlier ones.
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        generator.Start();
        Thread.Sleep(Settling);
        long? before = ReadNanoseconds(sink, relay, generator);
        long start = Stopwatch.GetTimestamp();

        // The measured time ends before the generator does, so that all of it is under load.
        cancellationToken.WaitHandle.WaitOne(duration * 0.95);
        cancellationToken.ThrowIfCancellationRequested();
        long? used = ReadNanoseconds(sink, relay, generator) - before;
        double nanoseconds = Stopwatch.GetElapsedTime(start).TotalNanoseconds;
        generator.Join();
        DrainWait.Run(() => sink.Received, generator.Sent, MaxQuiet, MaxDrain);
        sink.Stop();
        if (sink.Received == 0) throw new BenchException(NothingCame);
        return new RelayMeasurement(
            generator.Sent,
            sink.Received,
            sink.Reordered,
            generator.Seconds,
            used is long some ? Math.Max(0, 100 * some / nanoseconds) : null);
    }

    // If pool threads relay, their CPU time is that of the process less generator and sink. Nothing else runs
    // meanwhile.
    private static long? ReadNanoseconds(RelaySink sink, BenchServer relay, RelayGenerator generator) =>
        relay.CpuNanoseconds ?? (Environment.CpuUsage.TotalTime.Ticks * TimeSpan.NanosecondsPerTick)
            - sink.CpuNanoseconds - generator.CpuNanoseconds;
}

/// <summary>Sends bursts at a rate and sleeps in between; spinning would take a CPU from the other threads.</summary>
internal sealed class RelayGenerator : IDisposable
{
    /// <summary>As many as in the longest GSO message (UDP_MAX_SEGMENTS).</summary>
    public const int BurstDatagrams = 64;

    // The shortest sleep of .NET. The datagrams of that time leave together: one or two bursts at 100,000/s.
    private const int NapMilliseconds = 1;

    // After a stall of the machine, the datagrams of at most this time are sent late. More would flood the relay.
    private const double MaxBacklogSeconds = 0.05;

    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(5);

    private readonly UdpSocket _socket;
    private readonly SendBatch _batch;
    private readonly UdpEndPoint _peer;
    private readonly int _sizeBytes;
    private readonly double _ticksPerDatagram;
    private readonly long _durationTicks;
    private readonly BenchThread _thread;
    private volatile bool _stopping;

    public RelayGenerator(
        RelayOptions options, bool usesGso, IPEndPoint relay, TimeSpan duration, int? cpu)
    {
        _sizeBytes = options.SizeBytes;
        _peer = UdpEndPoint.FromIPEndPoint(relay);
        _ticksPerDatagram = Stopwatch.Frequency / options.DatagramsPerSecond;
        _durationTicks = (long)(duration.TotalSeconds * Stopwatch.Frequency);
        _socket = UdpSocket.Bind(UdpEndPoint.Loopback(0), new UdpSocketOptions { SegmentedSend = usesGso });
        _batch = _socket.CreateSendBatch(new SendBatchOptions
        {
            Capacity = BurstDatagrams,
            BufferBytes = Math.Max(SendBatch.MaxPayloadBytes, BurstDatagrams * _sizeBytes),
        });
        _thread = new BenchThread("bench relay generator", cpu, Run);
    }

    /// <summary>Accepted by the system. Known after <see cref="Join"/>.</summary>
    public long Sent { get; private set; }

    /// <summary>The time of sending. Known after <see cref="Join"/>.</summary>
    public double Seconds { get; private set; }

    /// <summary>CPU time of the generator's thread so far; null where the system does not tell.</summary>
    public long? CpuNanoseconds => _thread.CpuNanosecondsSoFar;

    public void Start() => _thread.Start();

    /// <summary>Throws if the thread failed or did not end.</summary>
    public void Join() => _thread.JoinOrThrow("generator", Stopwatch.GetElapsedTime(0, _durationTicks) + Grace);

    public void Dispose()
    {
        _stopping = true;
        _socket.Dispose();
        _ = _thread.Join(Grace);
        _batch.Dispose();
    }

    private void Run()
    {
        // At least two bursts: at a low rate, the backlog's time is shorter than that of one burst.
        double maxBacklog = Math.Max(
            2 * BurstDatagrams, MaxBacklogSeconds * Stopwatch.Frequency / _ticksPerDatagram);
        ulong sequence = 0;
        double scheduled = 0;
        long start = Stopwatch.GetTimestamp();
        long elapsed = 0;
        while (elapsed < _durationTicks && !_stopping)
        {
            double due = elapsed / _ticksPerDatagram;
            if (due - scheduled > maxBacklog) scheduled = due - maxBacklog;
            for (; due - scheduled >= BurstDatagrams && !_stopping; scheduled += BurstDatagrams)
            {
                SpateRow.Fill(_batch, _peer, _sizeBytes, BurstDatagrams, ref sequence);
                Sent += _socket.Send(_batch).Sent;
            }
            Thread.Sleep(NapMilliseconds);
            elapsed = Stopwatch.GetTimestamp() - start;
        }
        Seconds = Stopwatch.GetElapsedTime(0, elapsed).TotalSeconds;
    }
}

/// <summary>Receives the relayed datagrams, counts them, and checks whether their numbers rise.</summary>
internal sealed class RelaySink : IDisposable
{
    private static readonly TimeSpan StopPoll = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(3);

    private readonly UdpSocket _socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
    private readonly BenchThread _thread;
    private long _received;
    private volatile bool _stopping;

    public RelaySink(int? cpu)
    {
        _thread = new BenchThread("bench relay sink", cpu, Run);
        _thread.Start();
    }

    public IPEndPoint LocalEndPoint => _socket.LocalEndPoint.ToIPEndPoint();

    /// <summary>Any thread may read it.</summary>
    public long Received => Volatile.Read(ref _received);

    /// <summary>Those numbered not above all earlier ones. Known after <see cref="Stop"/>.</summary>
    public long Reordered { get; private set; }

    public long? CpuNanoseconds => _thread.CpuNanosecondsSoFar;

    /// <summary>Throws if the thread failed or did not end.</summary>
    public void Stop()
    {
        _stopping = true;
        _thread.JoinOrThrow("sink", Grace);
    }

    public void Dispose()
    {
        _stopping = true;
        _socket.Dispose();
        _ = _thread.Join(Grace);
    }

    private void Run()
    {
        using ReceiveBatch batch = _socket.CreateReceiveBatch();
        ulong next = 0;
        while (!_stopping)
        {
            ReceiveStatus status = _socket.Receive(batch, StopPoll);
            if (status == ReceiveStatus.Closed) return;
            if (status != ReceiveStatus.Received) continue;
            foreach (Datagram datagram in batch)
            {
                if (!BinaryPrimitives.TryReadUInt64LittleEndian(datagram.Payload, out ulong sequence)) continue;
                if (sequence < next) Reordered++;
                else next = sequence + 1;
            }
            Volatile.Write(ref _received, _received + batch.Count);
        }
    }
}
