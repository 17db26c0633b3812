using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Shell;
using Spate.Tests.Measurement.Arithmetic;

namespace Spate.Tests.Cli.Bench.Sweep;

/// <summary>Measures nothing: draws a value around 100 times the factor of the placement.</summary>
internal sealed class FakeSubject(int seed, bool isCost = false)
    : SweepSubject("bench", "fake", 64, new RowFigure("figure", IsHigherBetter: !isCost), "send", "receive")
{
    private const double Noise = 0.03;

    // Of four placements with 15 rounds and a warm-up.
    private const int FirstRunMeasurements = 64;

    private readonly Random _random = new(seed);
    private int _count;

    public Dictionary<string, double> Factors { get; } = new(StringComparer.Ordinal);

    public List<string> Order { get; set; } = [];

    public bool IsAlikeLater { get; init; }

    public string? Broken { get; init; }

    /// <summary>Called with the duration of each measurement.</summary>
    public Action<TimeSpan>? OnMeasure { get; init; }

    public override double Measure(IReadOnlyList<int> cpus, TimeSpan duration)
    {
        string cpu = string.Join(',', cpus);
        Order.Add(cpu);
        OnMeasure?.Invoke(duration);
        if (cpu.Equals(Broken, StringComparison.Ordinal)) throw new BenchException("it broke");

        bool isAlike = _count++ >= FirstRunMeasurements && IsAlikeLater;
        double factor = isAlike ? 1 : Factors.GetValueOrDefault(cpu, 1);
        return LogRatioTests.Draw(_random, 1, 100 * factor, Noise)[0];
    }
}
