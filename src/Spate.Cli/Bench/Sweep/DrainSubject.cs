using Spate.Cli.Bench.Drain;
using Spate.Cli.Shell;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sweep;

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

        DrainPair pair = target.Open(sizeBytes, DrainEngine.BufferBytes);
        int count = DrainEngine.CountThatFits(
            new DrainOptions().DatagramCount, sizeBytes, pair.BufferGrantedBytes);
        _cells[cpu] = cell = new DrainCell(target.Name, sizeBytes, target.Name, pair, count, time);
        BufferGrantedBytes = pair.BufferGrantedBytes;
        return cell;
    }
}
