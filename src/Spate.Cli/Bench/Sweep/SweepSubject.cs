using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Sweep;

/// <summary>What a sweep measures on one placement after the other.</summary>
/// <param name="bench">The kind of the bench that the row is of.</param>
/// <param name="figure">The figure that is judged, as in the JSON of that bench.</param>
/// <param name="roles">What a thread on each CPU of a placement does, in the order of the CPUs.</param>
internal abstract class SweepSubject(
    string bench, string row, int sizeBytes, RowFigure figure, params IReadOnlyList<string> roles) : IDisposable
{
    public string Bench => bench;

    public string Row => row;

    public int SizeBytes => sizeBytes;

    public string Figure => figure.Name;

    public bool IsHigherBetter => figure.IsHigherBetter;

    public IReadOnlyList<string> Roles => roles;

    /// <summary>0 before the first measurement.</summary>
    public int BufferGrantedBytes { get; protected set; }

    /// <summary>Takes about <paramref name="duration"/>, besides opening and closing.</summary>
    /// <exception cref="BenchException">The placement cannot be measured.</exception>
    public abstract double Measure(IReadOnlyList<int> cpus, TimeSpan duration);

    public virtual void Dispose() => GC.SuppressFinalize(this);
}

/// <summary>The rate of a row of <c>spate bench</c>, with a sender and a receiver.</summary>
internal sealed class ThroughputSubject(BenchTarget target, int sizeBytes)
    : SweepSubject(BenchReport.KindName, target.Name, sizeBytes, BenchRow.Metrics.Main, "send", "receive")
{
    public override double Measure(IReadOnlyList<int> cpus, TimeSpan duration)
    {
        var round = new BenchRound(CpuPlacement.Of(cpus[0], cpus[1]), BenchOptions.DefaultBufferBytes);
        RoundMeasurement measurement = round.Run(target, SizeBytes, duration);
        BufferGrantedBytes = measurement.BufferGrantedBytes;
        return measurement.DatagramsPerSecond;
    }
}

/// <summary>The receive time of a row of <c>spate bench drain</c>. Its thread moves to each placement's CPU.</summary>
internal sealed class DrainSubject(BenchTarget target, int sizeBytes, TimeProvider time)
    : SweepSubject(DrainReport.KindName, target.Name, sizeBytes, DrainRow.Metrics.Main, "drain")
{
    // Each CPU has sockets of its own, opened there: their memory then lies on its NUMA node.
    private readonly Dictionary<int, DrainCell> _cells = [];

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

    public override void Dispose()
    {
        foreach (DrainCell cell in _cells.Values) cell.Dispose();
        base.Dispose();
    }

    private DrainCell CellOn(int cpu)
    {
        if (_cells.TryGetValue(cpu, out DrainCell? cell)) return cell;

        _cells[cpu] = cell = new DrainCell(
            target, SizeBytes, target.Name, new DrainOptions().DatagramCount, time);
        BufferGrantedBytes = cell.BufferGrantedBytes;
        return cell;
    }
}
