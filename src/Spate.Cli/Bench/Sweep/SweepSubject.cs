using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Shell;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sweep;

/// <summary>What a sweep measures on one placement after the other.</summary>
internal abstract class SweepSubject : IDisposable
{
    /// <summary>The kind of the bench that the row is of.</summary>
    public abstract string Bench { get; }

    public abstract string Row { get; }

    public abstract int SizeBytes { get; }

    /// <summary>The figure that is judged, as in the JSON of that bench.</summary>
    public abstract string Figure { get; }

    public abstract bool IsHigherBetter { get; }

    /// <summary>What a thread on each CPU of a placement does, in the order of the CPUs.</summary>
    public abstract IReadOnlyList<string> Roles { get; }

    /// <summary>0 before the first measurement.</summary>
    public int BufferGrantedBytes { get; protected set; }

    /// <summary>Takes about <paramref name="duration"/>, besides opening and closing.</summary>
    /// <exception cref="BenchException">The placement cannot be measured.</exception>
    public abstract double Measure(IReadOnlyList<int> cpus, TimeSpan duration);

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    protected virtual void Close()
    {
    }
}

/// <summary>The rate of a row of <c>spate bench</c>, with a sender and a receiver.</summary>
internal sealed class ThroughputSubject(BenchTarget target, int sizeBytes) : SweepSubject
{
    public override string Bench => BenchReport.KindName;

    public override string Row => target.Name;

    public override int SizeBytes => sizeBytes;

    public override string Figure => ComparedFigure.Rate;

    public override bool IsHigherBetter => true;

    public override IReadOnlyList<string> Roles { get; } = ["send", "receive"];

    public override double Measure(IReadOnlyList<int> cpus, TimeSpan duration)
    {
        var round = new BenchRound(CpuPlacement.Of(cpus[0], cpus[1]), BenchOptions.DefaultBufferBytes);
        RoundMeasurement measurement = round.Run(target, sizeBytes, duration);
        BufferGrantedBytes = measurement.BufferGrantedBytes;
        return measurement.DatagramsPerSecond;
    }
}

/// <summary>The receive time of a row of <c>spate bench drain</c>. Its thread moves to each placement's CPU.</summary>
internal sealed class DrainSubject(DrainTarget target, int sizeBytes, TimeProvider time) : SweepSubject
{
    // Each CPU has sockets of its own, opened there: their memory then lies on its NUMA node.
    private readonly Dictionary<int, DrainCell> _cells = [];

    public override string Bench => DrainReport.KindName;

    public override string Row => target.Name;

    public override int SizeBytes => sizeBytes;

    public override string Figure => ComparedFigure.Receive;

    public override bool IsHigherBetter => false;

    public override IReadOnlyList<string> Roles { get; } = ["drain"];

    public override double Measure(IReadOnlyList<int> cpus, TimeSpan duration)
    {
        if (!ThreadAffinity.TrySetCurrentThreadCpus([cpus[0]], out string? error)) throw new BenchException(error);

        DrainCell cell = CellOn(cpus[0]);
        long start = time.GetTimestamp();
        double sum = 0;
        int passes = 0;
        do
        {
            sum += cell.Measure().ReceiveNanoseconds;
            passes++;
        }
        while (time.GetElapsedTime(start) < duration);
        return sum / passes;
    }

    protected override void Close()
    {
        foreach (DrainCell cell in _cells.Values)
        {
            cell.Dispose();
        }
    }

    private DrainCell CellOn(int cpu)
    {
        if (_cells.TryGetValue(cpu, out DrainCell? cell)) return cell;

        DrainPair pair = target.Open(sizeBytes, DrainBench.BufferBytes);
        int count = DrainBench.CountThatFits(
            new DrainOptions().DatagramCount, sizeBytes, pair.BufferGrantedBytes);
        _cells[cpu] = cell = new DrainCell(target.Name, sizeBytes, target.Name, pair, count, time);
        BufferGrantedBytes = pair.BufferGrantedBytes;
        return cell;
    }
}
