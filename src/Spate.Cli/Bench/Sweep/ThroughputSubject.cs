using Spate.Cli.Bench.Throughput;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sweep;

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
