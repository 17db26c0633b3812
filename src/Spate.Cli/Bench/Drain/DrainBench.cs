using System.Net.Sockets;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Drain;

/// <summary>The settings of <c>spate bench drain</c>.</summary>
internal sealed class DrainOptions : BenchOptions
{
    public DrainOptions() => (Budget, RoundCount) = (TimeSpan.FromSeconds(20), 21);

    /// <summary>Fewer are sent where the receive buffer that the system grants does not hold as many.</summary>
    public int DatagramCount { get; init; } = 20_000;
}

/// <summary>
/// <c>spate bench drain</c>: one thread fills a socket's queue and then drains it. Nothing else runs at the same time,
/// so the figures vary little. Tests replace the sockets.
/// </summary>
internal sealed class DrainBench(
    DrainOptions options, int? cpu, IReadOnlyList<BenchTarget> targets, BenchCourse course)
    : BenchRun<DrainCell, DrainRound, DrainReport>(course)
{
    // As in the C programs of benchmarks/floor: a long queue takes long enough to measure.
    private const int BufferBytes = 256 * 1024 * 1024;

    // A receive waits only if a datagram was lost, and then the round is refused.
    private const int MaxWaitMilliseconds = 200;

    // The warm-up takes at most a third of the time: a quick run must have several rounds too.
    private const int WarmUpShare = 3;

    /// <summary>In the order of the table.</summary>
    public static IReadOnlyList<BenchTarget> Targets =>
    [
        SocketTarget.Blocking,
        new SpateTarget(SpateRow.Portable),
        new SpateTarget(SpateRow.Await, awaitsEach: true),
        new SpateTarget(SpateRow.Mmsg),
        new SpateTarget(SpateRow.MmsgOffloads),
        new SpateTarget(SpateRow.Uring),
        new SpateTarget(SpateRow.UringOffloads),
    ];

    public static Benchmark<DrainOptions, DrainReport> Define() => new(
        DrainReport.KindName,
        "Fill a socket, then drain it, and time both per datagram: the figures with the least noise.")
    {
        Cpus = BenchCpus.OneThread,
        TakesSizes = true,
        QuickBudget = TimeSpan.FromSeconds(6),
        Measure = static (options, placement, course) =>
            new DrainBench(options, placement.ReceiverCpu, Targets, course).Execute(),
        Write = DrainReport.Write,
        Examples =
        [
            "spate bench drain",
            "spate bench drain --size 64,1380,8972 --cpu 1",
            "spate bench drain --quick --json -",
            "spate bench drain --sweep cpu",
            "spate bench drain --fail-if 'rows[spate-mmsg, sizeBytes=64].receiveNanosecondsPerDatagram > 900'",
        ],
    };

    /// <summary>Opens a receiver with a long queue, and the sender that fills it.</summary>
    internal static (BenchReceiver Receiver, BenchSender Sender) OpenEnds(BenchTarget target, int sizeBytes)
    {
        BenchReceiver receiver = target.CreateReceiver(new BenchSetup(sizeBytes, BufferBytes, MaxWaitMilliseconds));
        try
        {
            var setup = new BenchSetup(sizeBytes, BenchOptions.DefaultBufferBytes);
            return (receiver, target.CreateSender(setup, receiver.LocalEndPoint));
        }
        catch
        {
            receiver.Dispose();
            throw;
        }
    }

    /// <summary>The number of datagrams, in whole GSO messages, that surely fits into a receive buffer.</summary>
    internal static int CountThatFits(int wantedCount, int sizeBytes, int bufferGrantedBytes)
    {
        // The kernel lets the queue grow to twice the granted size (socket(7)).
        long held = 2L * bufferGrantedBytes / KernelCharge.MaxLoopbackBytes(sizeBytes);
        int message = SegmentCount(sizeBytes);
        long count = Math.Min(wantedCount, held);
        return (int)Math.Max(count / message * message, Math.Min(message, wantedCount));
    }

    /// <summary>Datagrams of the longest GSO message: at most 64 (UDP_MAX_SEGMENTS) and 65507 bytes.</summary>
    internal static int SegmentCount(int sizeBytes) => Math.Clamp(BenchOptions.MaxSizeBytes / sizeBytes, 1, 64);

    protected override int RunRounds()
    {
        foreach (int sizeBytes in options.SizesBytes)
        {
            foreach (BenchTarget target in targets) Open(target, sizeBytes);
        }

        return Runner(options.RoundCount).RunCounted(
            WarmUpShare, options.RoundCount, options.Budget,
            static (cell, maxTime) => cell.WarmUp(maxTime), static (cell, _) => cell.Measure());
    }

    protected override DrainReport ToReport(IReadOnlyList<DrainCell> measured)
    {
        DrainRow[] rows = Course.RequireRows(measured.Select(static cell => cell.ToRow()));
        return new DrainReport
        {
            Rows = rows,
            Threads = [ThreadReport.At("drain", cpu)],
            Flows = 1,
            GsoFallbacks = rows.Sum(static row => row.GsoFallbacks),
            BufferGrantedBytes = measured.Max(static cell => cell.BufferGrantedBytes),
        };
    }

    protected override void Close() => Cells.ForEach(static cell => cell.Dispose());

    private void Open(BenchTarget target, int sizeBytes)
    {
        if (!Course.Skipped.IsAvailable(target.Name, target.UnavailableReason)) return;

        string skippedName = BenchSkippedRow.NameOf(target.Name, sizeBytes, options.SizesBytes.Count);
        try
        {
            Cells.Add(new DrainCell(target, sizeBytes, skippedName, options.DatagramCount, Course.Time));
        }
        catch (Exception e) when (e is SocketException or NotSupportedException)
        {
            Course.Skipped.Add(skippedName, PrintableText.OneLine(e.Message));
        }
    }
}

/// <summary>One row at one size, with its open sockets and its rounds so far.</summary>
internal sealed class DrainCell : BenchCell<DrainRound>, IDisposable
{
    // Tiered compilation recompiles a method after 30 calls. Several passes reach that even with few calls each.
    private const int WarmUpPasses = 5;

    private readonly BenchReceiver _receiver;
    private readonly BenchSender _sender;
    private readonly int _count;
    private readonly TimeProvider _time;

    /// <param name="wantedCount">Fewer are sent if the receive buffer that is granted does not hold as many.</param>
    public DrainCell(BenchTarget target, int sizeBytes, string skippedName, int wantedCount, TimeProvider time)
        : base(target.Name, sizeBytes, skippedName)
    {
        (_receiver, _sender) = DrainBench.OpenEnds(target, sizeBytes);
        BufferGrantedBytes = _receiver.BufferGrantedBytes;
        _count = DrainBench.CountThatFits(wantedCount, sizeBytes, BufferGrantedBytes);
        _time = time;
    }

    /// <summary>Read at the opening: the socket may be closed since.</summary>
    public int BufferGrantedBytes { get; }

    /// <summary>Runs rounds that are not counted. None begins after <paramref name="maxTime"/>.</summary>
    public void WarmUp(TimeSpan maxTime)
    {
        long begin = _time.GetTimestamp();
        for (int pass = 0; pass < WarmUpPasses && (pass == 0 || _time.GetElapsedTime(begin) < maxTime); pass++)
        {
            _ = Measure();
        }
    }

    /// <summary>Throws if datagrams were lost, since the time would mean nothing.</summary>
    public DrainRound Measure()
    {
        long start = _time.GetTimestamp();
        int sent = _sender.Send(_count);
        long filled = _time.GetTimestamp();
        int received = _receiver.Drain(sent);
        long drained = _time.GetTimestamp();
        return sent == 0 || received < sent
            ? throw new BenchException($"{sent} of {_count} datagrams were sent and {received} arrived, "
                + $"with a receive buffer of {BufferGrantedBytes} bytes")
            : new DrainRound(
                _time.GetElapsedTime(filled, drained).TotalNanoseconds / received,
                _time.GetElapsedTime(start, filled).TotalNanoseconds / sent);
    }

    public DrainRow ToRow()
    {
        double[] receive = [.. Rounds.Select(static round => round.ReceiveNanoseconds)];
        double[] send = [.. Rounds.Select(static round => round.SendNanoseconds)];
        return new DrainRow
        {
            Name = Name,
            SizeBytes = SizeBytes,
            ReceiveNanosecondsPerDatagram = Statistics.Median(receive),
            SendNanosecondsPerDatagram = Statistics.Median(send),
            ReceiveSpreadPercent = Statistics.SpreadPercent(receive),
            SendSpreadPercent = Statistics.SpreadPercent(send),
            Samples = receive,
            GsoFallbacks = _sender.GsoFallbacks,
        };
    }

    public void Dispose()
    {
        _receiver.Dispose();
        _sender.Dispose();
    }
}

/// <summary>The times of one round per datagram.</summary>
internal readonly record struct DrainRound(double ReceiveNanoseconds, double SendNanoseconds);
