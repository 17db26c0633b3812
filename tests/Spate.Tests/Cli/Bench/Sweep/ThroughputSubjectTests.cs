using Spate.Cli.Bench;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Shell;
using Spate.HostTuning.Reading.Cpus;
using Spate.Tests.Cli.Bench.Throughput;

namespace Spate.Tests.Cli.Bench.Sweep;

public sealed class ThroughputSubjectTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromMilliseconds(30);

    private static int Cpu => CpuFacts.Read().UsableNumbers[0];

    [Fact]
    public void Measure_RowWithoutSockets_IsItsRateAndTellsTheBuffer()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "a thread's CPU is set on Linux only");
        var target = new FakeTarget("fake");
        using var subject = new ThroughputSubject(target, sizeBytes: 100);

        double rate = subject.Measure([Cpu, Cpu], Duration);

        // The first burst does not count, and sending never takes less than the time that it was given.
        Assert.InRange(rate, 1, target.Arrived / Duration.TotalSeconds);
        Assert.Equal(new BenchSetup(100, BenchOptions.DefaultBufferBytes), target.Setup);
        Assert.Equal((1000, 100, "fake"), (subject.BufferGrantedBytes, subject.SizeBytes, subject.Row));
    }

    [Fact]
    public void Measure_NothingArrives_IsTheFaultOfThePlacement()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "a thread's CPU is set on Linux only");
        using var subject = new ThroughputSubject(new FakeTarget("fake") { NothingArrives = true }, sizeBytes: 100);

        Assert.Throws<BenchException>(() => subject.Measure([Cpu, Cpu], Duration));
        Assert.Equal(0, subject.BufferGrantedBytes);
    }

    [Fact]
    public void Figure_OfTheBench_IsAFieldOfItsRowsOfWhichMoreIsBetter()
    {
        using var subject = new ThroughputSubject(new FakeTarget("fake"), sizeBytes: 100);

        Assert.Equal((BenchReport.KindName, true), (subject.Bench, subject.IsHigherBetter));
        Assert.Equal(nameof(BenchRow.DatagramsPerSecond), subject.Figure, ignoreCase: true);
        Assert.Equal(["send", "receive"], subject.Roles);
    }
}
