using Spate.Measurement.Cores;
using Spate.Measurement.Reports;

namespace Spate.Tests.Measurement.Cores;

public sealed class CoreLimitTests
{
    private const double Seconds = 10;

    [Fact]
    public void Find_OwnWorkFillsACpu_NamesItWithItsPart()
    {
        CoreLimit limit = Find([Core(0, user: 20), Core(3, user: 6, system: 30, softirq: 61, own: 96)], Pinned(3, 96));

        Assert.Equal((3, CoreLimit.SoftirqCause), (limit.Cpu, limit.Cause));
        Assert.Equal(
            "CPU 3 is the limit: 97 % busy, 63 % of it softirq; receive ran there, with 96 % of its time",
            limit.Sentence);
    }

    [Fact]
    public void Find_ProgramsFillTheCpuOfTheRun_SaysWork()
    {
        CoreLimit limit = Find([Core(1, user: 20, system: 75, own: 95)], Pinned(1, 95));

        Assert.Equal((1, CoreLimit.WorkCause), (limit.Cpu, limit.Cause));
        Assert.Equal("CPU 1 is the limit: 95 % busy, 79 % of it system; receive ran there", limit.Sentence);
    }

    [Fact]
    public void Find_AnotherProgramFillsTheCpuOfTheRun_SaysSo()
    {
        CoreLimit limit = Find([Core(1, user: 99, own: 12)], Pinned(1, 12));

        Assert.Equal((1, CoreLimit.OtherCause), (limit.Cpu, limit.Cause));
        Assert.Equal(
            "CPU 1 is full with another program: 99 % busy, 100 % of it user; receive ran there, with 12 % of its time",
            limit.Sentence);
    }

    [Fact]
    public void Find_ThreadThatMovesMayHaveFilledIt_DoesNotBlameAnotherProgram()
    {
        var places = new CorePlaces();
        places.AddThread(Thread("receive", cpu: 1, percent: 12), pinnedCpu: null);
        places.AddThread(Thread("receive", cpu: 0, percent: 80, index: 1), pinnedCpu: null);

        Assert.Equal(CoreLimit.WorkCause, Find([Core(1, user: 99, own: 12)], places).Cause);
    }

    [Fact]
    public void Find_FullCpuWithoutTheRun_IsNoLimit()
    {
        CoreLimit limit = Find([Core(0, user: 100), Core(1, user: 40, own: 40)], Pinned(1, 40));

        Assert.Equal((null, null), (limit.Cpu, limit.Cause));
        Assert.Equal(
            "no CPU of this run is the limit; another program fills CPU 0: 100 % busy, 100 % of it user",
            limit.Sentence);
    }

    [Fact]
    public void Find_RunsCpuAndAnotherAreFull_NamesTheRuns()
    {
        CoreLimit limit = Find([Core(0, user: 100), Core(1, system: 93, own: 93)], Pinned(1, 93));

        Assert.Equal(1, limit.Cpu);
    }

    [Fact]
    public void Find_SoftirqFillsACpuWithoutTheRun_NamesIt()
    {
        CoreLimit limit = Find([Core(0, softirq: 98), Core(1, system: 50, own: 50)], Pinned(1, 50));

        Assert.Equal((0, CoreLimit.SoftirqCause), (limit.Cpu, limit.Cause));
        Assert.Equal("CPU 0 is the limit: 98 % busy, 100 % of it softirq", limit.Sentence);
    }

    [Fact]
    public void Find_HypervisorTookMost_SaysSteal()
    {
        CoreLimit limit = Find([Core(1, system: 30, steal: 65, own: 30)], Pinned(1, 30));

        Assert.Equal((1, CoreLimit.StealCause), (limit.Cpu, limit.Cause));
        Assert.EndsWith("; the hypervisor took 65 % (steal)", limit.Sentence);
    }

    [Fact]
    public void Find_ThreadSpinsOnPurpose_IsNoLimitByItself()
    {
        var places = new CorePlaces();
        places.AddThread(Thread("send", cpu: 1, percent: 99), pinnedCpu: 1, spins: true);

        CoreLimit limit = Find([Core(1, user: 99, own: 99)], places);

        Assert.Equal((null, CoreLimit.SpinCause), (limit.Cpu, limit.Cause));
        Assert.Contains("but a thread spins there; send ran there", limit.Sentence);
    }

    [Fact]
    public void Find_SpinningThreadAndAFullReader_NamesTheReader()
    {
        CorePlaces places = Pinned(1, 92);
        places.AddThread(Thread("send", cpu: 0, percent: 99), pinnedCpu: 0, spins: true);

        Assert.Equal(1, Find([Core(0, user: 99, own: 99), Core(1, system: 92, own: 92)], places).Cpu);
    }

    [Fact]
    public void Find_ThreadThatNeverPausedOnSeveralCpus_NamesTheThread()
    {
        var places = new CorePlaces();
        places.AddThread(Thread("receive", cpu: 0, percent: 50), pinnedCpu: null);
        places.AddThread(Thread("receive", cpu: 1, percent: 48), pinnedCpu: null);

        CoreLimit limit = Find([Core(0, system: 60, own: 50), Core(1, system: 55, own: 48)], places);

        Assert.Equal((null, CoreLimit.ThreadCause), (limit.Cpu, limit.Cause));
        Assert.StartsWith("thread \"receive 0\" is the limit: it ran 98 % of the time", limit.Sentence);
    }

    [Fact]
    public void Find_QuotaUsedUp_SaysQuota()
    {
        CoreLimit limit = Find([Core(1, system: 50, own: 50)], Pinned(1, 50), throttledSeconds: 4.5);

        Assert.Equal((null, CoreLimit.QuotaCause), (limit.Cpu, limit.Cause));
        Assert.StartsWith(
            "the quota is the limit: the control group's quota (cpu.max) kept 4.50 s of CPU time", limit.Sentence);
        Assert.Null(Find([Core(1, system: 50, own: 50)], Pinned(1, 50), throttledSeconds: 0.1).Cause);
    }

    [Fact]
    public void Find_NothingFull_SaysWhichIsBusiest() => Assert.Equal(
        "no CPU is the limit: the busiest, CPU 1, was 60 % busy",
        Find([Core(0, user: 20), Core(1, system: 60, own: 60)], Pinned(1, 60)).Sentence);

    [Fact]
    public void Find_PlacesUnknown_TakesTheFullCpuForTheRuns()
    {
        CoreLimit limit = Find([Core(0, system: 97, own: null)], new CorePlaces());

        Assert.Equal((0, CoreLimit.WorkCause), (limit.Cpu, limit.Cause));
    }

    [Fact]
    public void Find_NoCpusOrTooShort_SaysNothing()
    {
        Assert.Equal(new CoreLimit(null, null, null), Find([], new CorePlaces()));
        Assert.Equal(
            new CoreLimit(null, null, null), CoreLimit.Find([Core(0, user: 100)], new CorePlaces(), null, 0.1));
    }

    private static CoreLimit Find(CoreReport[] cores, CorePlaces places, double? throttledSeconds = null) =>
        CoreLimit.Find(
            [.. cores.Select(core => core with { Roles = places.RolesOf(core.Cpu) })],
            places,
            throttledSeconds,
            Seconds);

    private static CorePlaces Pinned(int cpu, double percent)
    {
        var places = new CorePlaces();
        places.AddThread(Thread("receive", cpu, percent), cpu);
        return places;
    }

    private static ThreadIntervalReport Thread(string role, int cpu, double percent, int index = 0) => new()
    {
        Role = role,
        Index = index,
        Cpu = cpu,
        CpuNanoseconds = (long)(percent / 100 * Seconds * 1e9),
    };

    private static CoreReport Core(
        int cpu, double user = 0, double system = 0, double softirq = 0, double steal = 0, double? own = 0)
    {
        double busy = user + system + softirq + steal;
        return new CoreReport
        {
            Cpu = cpu,
            BusyPercent = busy,
            UserPercent = user,
            SystemPercent = system,
            SoftirqPercent = softirq,
            StealPercent = steal,
            IdlePercent = 100 - busy,
            OwnPercent = own,
        };
    }
}
