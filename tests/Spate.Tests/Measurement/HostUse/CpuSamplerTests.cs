using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.Measurement.HostUse;

/// <summary>The CPUs of recorded machines between two readings.</summary>
public sealed class CpuSamplerTests
{
    [Theory]
    [InlineData(2)]
    [InlineData(64)]
    [InlineData(512)]
    public void Take_RecordedMachine_GivesSharesThatSumToAll(int cpuCount)
    {
        int[] cpus = [.. Enumerable.Range(0, cpuCount)];
        using FakeHost host = FakeMachines.Busy(cpus, round: 1);
        using var watch = new CpuSampler(host.RootPath);
        FakeMachines.Busy(host, cpus, round: 2);

        CpuReport[] cores = watch.Take().Report(showsAll: true);

        Assert.Equal(cpus, cores.Select(static core => core.Cpu));
        Assert.All(cores, static core =>
        {
            double ticks = core.Cpu + 34;
            Assert.Equal(100 * 3 / ticks, core.SystemPercent, 0.01);
            Assert.Equal(100 * 7 / ticks, core.SoftirqPercent, 0.01);
            Assert.Equal(100 * 8 / ticks, core.StealPercent, 0.01);
            Assert.Equal(100 * 9 / ticks, core.IdlePercent, 0.01);
            Assert.Equal(100, core.BusyPercent + core.IdlePercent, 0.02);
            Assert.Equal(100 + core.Cpu, core.ReceiveInterrupts);
            Assert.Null(core.OwnPercent);
        });
    }

    [Fact]
    public void Take_CpuPluggedInAndOut_ReportsTheTimeBetweenTwoReadings()
    {
        using FakeHost host = FakeMachines.Busy([0, 1], round: 1);
        using var watch = new CpuSampler(host.RootPath);

        Assert.Equal([0], Step([0, 2], round: 2));
        Assert.Equal([0, 2], Step([0, 1, 2], round: 3));
        Assert.Equal([0, 1, 2], Step([0, 1, 2], round: 4));

        // CPU 1 began anew: none of its counts is behind the reading before.
        FakeMachines.Busy(host, [0, 1, 2], round: 5);
        string stat = File.ReadAllText(Path.Combine(host.RootPath, "proc/stat"));
        host.With("proc/stat", stat.Replace("cpu1 5 5 15", "cpu1 0 0 0", StringComparison.Ordinal));
        CpuReport[] cores = watch.Take().Report(showsAll: true);
        Assert.Equal((0, 0), (cores[1].UserPercent, cores[1].SystemPercent));
        Assert.Equal([0, 1, 2], watch.Total.Report(showsAll: true).Select(static core => core.Cpu));

        int[] Step(int[] cpus, int round)
        {
            FakeMachines.Busy(host, cpus, round);
            return [.. watch.Take().Report(showsAll: true).Select(static core => core.Cpu)];
        }
    }

    [Fact]
    public void Take_CountsStandStill_ReportsNothing()
    {
        using FakeHost host = FakeMachines.Busy([0, 1], round: 1);
        using var watch = new CpuSampler(host.RootPath);

        Assert.Empty(watch.Take().Report(showsAll: true));
        Assert.Equal(new CpuLimit(null, null, null), watch.Total.FindLimit());
    }

    [Fact]
    public void Take_NoFiles_ReportsNothing()
    {
        using FakeHost host = new FakeHost();
        using var watch = new CpuSampler(host.RootPath);

        Assert.Empty(watch.Take().Report(showsAll: true));
        Assert.Null(watch.Total.ThrottledSeconds);
    }

    [Fact]
    public void Take_ContainerWithFewerCpus_LeavesTheThreadsOfOthersOut()
    {
        using FakeHost host = FakeMachines.Busy([0], round: 1);
        using var watch = new CpuSampler(host.RootPath);
        FakeMachines.Busy(host, [0], round: 2);
        var places = new CpuAttribution();
        places.AddThread(Thread(cpu: 7, nanoseconds: 1000), pinnedCpu: null);

        Assert.Equal([0], watch.Take(places).Report(showsAll: true).Select(static core => core.Cpu));
    }

    [Fact]
    public void Report_ManyCpus_HasThoseOfTheRunAndTheBusiest()
    {
        int[] cpus = [.. Enumerable.Range(0, 64)];
        using FakeHost host = FakeMachines.Busy(cpus, round: 1);
        using var watch = new CpuSampler(host.RootPath);
        FakeMachines.Busy(host, cpus, round: 2);
        var places = new CpuAttribution();
        places.AddThread(Thread(cpu: 0, nanoseconds: 34 * 5_000_000), pinnedCpu: null);

        CpuReport[] cores = watch.Take(places).Report(showsAll: false);

        Assert.Equal([0, .. Enumerable.Range(49, 15)], cores.Select(static core => core.Cpu));
        Assert.Equal((50, 0), (cores[0].OwnPercent, cores[1].OwnPercent));
        Assert.Equal(["receive"], cores[0].Roles);
    }

    [Fact]
    public void Total_SeveralTimes_SumsCountsQuotaAndPlaces()
    {
        using FakeHost host = FakeMachines.Busy([0, 1], round: 1).With("proc/self/cgroup", "0::/\n");
        host.With("sys/fs/cgroup/cpu.stat", "throttled_usec 0\n");
        using var watch = new CpuSampler(host.RootPath);
        for (int round = 2; round < 5; round++)
        {
            FakeMachines.Busy(host, [0, 1], round)
                .With("sys/fs/cgroup/cpu.stat", $"throttled_usec {round * 500_000}\n");
            var places = new CpuAttribution();
            places.AddThread(Thread(cpu: 1, nanoseconds: 35 * 10_000_000 / 2), pinnedCpu: 1);
            _ = watch.Take(places);
        }

        CpuReport core = watch.Total.Report(showsAll: true)[1];
        Assert.Equal((50, 303, 2.0), (core.OwnPercent, core.ReceiveInterrupts, watch.Total.ThrottledSeconds));
    }

    [Fact]
    public void Extend_TwoIntervals_WeighsTheirCpusByTime()
    {
        var first = new IntervalReport { Seconds = 3, Cores = [Core(0, 80, "send"), Core(1, 10, "receive")] };
        var next = new IntervalReport { Seconds = 1, Cores = [Core(0, 40, "interrupts")] };

        first.Extend(next);

        Assert.Equal([0, 1], first.Cores.Select(static core => core.Cpu));
        CpuReport merged = first.Cores[0];
        Assert.Equal((70, 30, 200), (merged.BusyPercent, merged.IdlePercent, merged.ReceiveInterrupts));
        Assert.Equal(["interrupts", "send"], merged.Roles);
        Assert.Equal(7.5, first.Cores[1].BusyPercent);
    }

    private static CpuReport Core(int cpu, double busy, string role) =>
        new() { Cpu = cpu, BusyPercent = busy, IdlePercent = 100 - busy, ReceiveInterrupts = 100, Roles = [role] };

    private static ThreadIntervalReport Thread(int cpu, long nanoseconds) =>
        new() { Role = "receive", Cpu = cpu, CpuNanoseconds = nanoseconds };
}
