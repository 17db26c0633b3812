using System.Diagnostics;
using System.Net;
using Spate.Cli.Bench.Batched;
using Spate.Cli.Shell;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Relay;

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
    public void Join()
    {
        if (_thread.Join(Stopwatch.GetElapsedTime(0, _durationTicks) + Grace) && _thread.Failure is null) return;
        throw new BenchException("The generator failed: "
            + PrintableText.OneLine(_thread.Failure?.Message ?? "a call to the system hangs"));
    }

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
