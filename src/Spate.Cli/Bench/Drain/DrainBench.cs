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

/// <summary>A row of the drain bench, and how both ends are opened for a size and a receive buffer in bytes.</summary>
internal sealed record DrainTarget(string Name, string? UnavailableReason, Func<int, int, DrainPair> Open)
{
    /// <summary>In the order of the table.</summary>
    public static IReadOnlyList<DrainTarget> All { get; } =
    [
        Of(SocketTarget.Blocking),
        Of(new SpateTarget(SpateRow.Portable)),
        Of(new SpateTarget(SpateRow.Await, awaitsEach: true)),
        Of(new SpateTarget(SpateRow.Mmsg)),
        Of(new SpateTarget(SpateRow.MmsgOffloads)),
        Of(new SpateTarget(SpateRow.Uring)),
        Of(new SpateTarget(SpateRow.UringOffloads)),
    ];

    private static DrainTarget Of(BenchTarget target) => new(
        target.Name, target.UnavailableReason, (size, buffer) => new TargetPair(target, size, buffer));
}

/// <summary>
/// <c>spate bench drain</c>: one thread fills a socket's queue and then drains it. Nothing else runs at the same time,
/// so the figures vary little. Tests replace the sockets.
/// </summary>
internal sealed class DrainBench(
    DrainOptions options, int? cpu, IReadOnlyList<DrainTarget> targets, BenchCourse course)
    : BenchRun<DrainCell, DrainRound, DrainReport>(course)
{
    /// <summary>As in the C programs of benchmarks/floor: a long queue takes long enough to measure.</summary>
    internal const int BufferBytes = 256 * 1024 * 1024;

    // The warm-up takes at most a third of the time: a quick run must have several rounds too.
    private const int WarmUpShare = 3;

    public static Benchmark<DrainOptions, DrainReport> Define() => new(
        DrainReport.KindName,
        "Fill a socket, then time the draining and the filling per datagram: the low-noise figure.")
    {
        Cpus = BenchCpus.OneThread,
        TakesSizes = true,
        QuickBudget = TimeSpan.FromSeconds(6),
        Measure = static (options, placement, course) =>
            new DrainBench(options, placement.ReceiverCpu, DrainTarget.All, course).Execute(),
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
            foreach (DrainTarget target in targets) Open(target, sizeBytes);
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

    private void Open(DrainTarget target, int sizeBytes)
    {
        if (!Course.Skipped.IsAvailable(target.Name, target.UnavailableReason)) return;

        string skippedName = BenchSkippedRow.NameOf(target.Name, sizeBytes, options.SizesBytes.Count);
        try
        {
            DrainPair pair = target.Open(sizeBytes, BufferBytes);
            int count = CountThatFits(options.DatagramCount, sizeBytes, pair.BufferGrantedBytes);
            Cells.Add(new DrainCell(target.Name, sizeBytes, skippedName, pair, count, Course.Time));
        }
        catch (Exception e) when (e is SocketException or NotSupportedException)
        {
            Course.Skipped.Add(skippedName, PrintableText.OneLine(e.Message));
        }
    }
}

/// <summary>Both ends of one row of the drain bench. One thread fills the queue and then drains it.</summary>
internal abstract class DrainPair : IDisposable
{
    public abstract int BufferGrantedBytes { get; }

    public virtual long GsoFallbacks => 0;

    /// <summary>Writes 8 bytes into each datagram and sends it; returns how many the system accepted.</summary>
    public abstract int Fill(int count);

    /// <summary>Receives until <paramref name="count"/> have come or none is left; returns how many came.</summary>
    public abstract int Drain(int count);

    public abstract void Dispose();
}

/// <summary>Both ends of one row that other benches have too.</summary>
internal sealed class TargetPair : DrainPair
{
    // A receive waits only if a datagram was lost, and then the round is refused.
    private const int MaxWaitMilliseconds = 200;

    private readonly BenchReceiver _receiver;
    private readonly BenchSender _sender;

    public TargetPair(BenchTarget target, int sizeBytes, int bufferBytes)
    {
        _receiver = target.CreateReceiver(new BenchSetup(sizeBytes, bufferBytes, MaxWaitMilliseconds));
        _sender = target.CreateSender(
            new BenchSetup(sizeBytes, BenchOptions.DefaultBufferBytes), _receiver.LocalEndPoint);
    }

    public override int BufferGrantedBytes => _receiver.BufferGrantedBytes;

    public override long GsoFallbacks => _sender.GsoFallbacks;

    public override int Fill(int count) => _sender.Send(count);

    public override int Drain(int count) => _receiver.Drain(count);

    public override void Dispose()
    {
        _receiver.Dispose();
        _sender.Dispose();
    }
}

/// <summary>One row at one size, with its open sockets and its rounds so far.</summary>
internal sealed class DrainCell(
    string name, int sizeBytes, string skippedName, DrainPair pair, int count, TimeProvider time)
    : BenchCell<DrainRound>(name, sizeBytes, skippedName), IDisposable
{
    // Tiered compilation recompiles a method after 30 calls. Several passes reach that even with few calls each.
    private const int WarmUpPasses = 5;

    /// <summary>The socket may be closed since.</summary>
    public int BufferGrantedBytes { get; } = pair.BufferGrantedBytes;

    /// <summary>Runs rounds that are not counted. None begins after <paramref name="maxTime"/>.</summary>
    public void WarmUp(TimeSpan maxTime)
    {
        long begin = time.GetTimestamp();
        for (int pass = 0; pass < WarmUpPasses && (pass == 0 || time.GetElapsedTime(begin) < maxTime); pass++)
        {
            _ = Measure();
        }
    }

    /// <summary>Throws if datagrams were lost, since the time would mean nothing.</summary>
    public DrainRound Measure()
    {
        long start = time.GetTimestamp();
        int sent = pair.Fill(count);
        long filled = time.GetTimestamp();
        int received = pair.Drain(sent);
        long drained = time.GetTimestamp();
        return sent == 0 || received < sent
            ? throw new BenchException($"of {count} datagrams {sent} were sent and {received} arrived, "
                + $"with a receive buffer of {BufferGrantedBytes} bytes")
            : new DrainRound(
                time.GetElapsedTime(filled, drained).TotalNanoseconds / received,
                time.GetElapsedTime(start, filled).TotalNanoseconds / sent);
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
            GsoFallbacks = pair.GsoFallbacks,
        };
    }

    public void Dispose() => pair.Dispose();
}

/// <summary>The times of one round per datagram.</summary>
internal readonly record struct DrainRound(double ReceiveNanoseconds, double SendNanoseconds);
