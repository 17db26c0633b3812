using Spate.Measurement.HostUse;

namespace Spate.Tests.Measurement.HostUse;

public sealed class CpuLimitTests
{
    private const double Seconds = 10;

    [Fact]
    public void Find_OwnWorkFillsACpu_NamesItWithItsPart()
    {
        CpuLimit limit = Find([Core(0, user: 20), Core(3, user: 6, system: 30, softirq: 61, own: 96)], Pinned(3, 96));

        Assert.Equal((3, CpuLimit.SoftirqCause), (limit.Cpu, limit.Cause));
        Assert.Equal(
            "CPU 3 is the limit: 97 % busy, 63 % of it softirq; receive ran there, with 96 % of its time",
            limit.Sentence);
    }

    [Fact]
    public void Find_ProgramsFillTheCpuOfTheRun_SaysWork()
    {
        CpuLimit limit = Find([Core(1, user: 20, system: 75, own: 95)], Pinned(1, 95));

        Assert.Equal((1, CpuLimit.WorkCause), (limit.Cpu, limit.Cause));
        Assert.Equal("CPU 1 is the limit: 95 % busy, 79 % of it system; receive ran there", limit.Sentence);
    }

    [Fact]
    public void Find_AnotherProgramFillsTheCpuOfTheRun_SaysSo()
    {
        CpuLimit limit = Find([Core(1, user: 99, own: 12)], Pinned(1, 12));

        Assert.Equal((1, CpuLimit.OtherCause), (limit.Cpu, limit.Cause));
        Assert.Equal(
            "CPU 1 is full with another program: 99 % busy, 100 % of it user; receive ran there, with 12 % of its time",
            limit.Sentence);
    }

    [Fact]
    public void Find_ThreadThatMovesMayHaveFilledIt_DoesNotBlameAnotherProgram()
    {
        var places = new CpuAttribution();
        places.AddThread(Thread("receive", cpu: 1, percent: 12), pinnedCpu: null);
        places.AddThread(Thread("receive", cpu: 0, percent: 80, index: 1), pinnedCpu: null);

        Assert.Equal(CpuLimit.WorkCause, Find([Core(1, user: 99, own: 12)], places).Cause);
    }

    [Fact]
    public void Find_FullCpuWithoutTheRun_IsNoLimit()
    {
        CpuLimit limit = Find([Core(0, user: 100), Core(1, user: 40, own: 40)], Pinned(1, 40));

        Assert.Equal((null, null), (limit.Cpu, limit.Cause));
        Assert.Equal(
            "no CPU of this run is the limit; another program fills CPU 0: 100 % busy, 100 % of it user",
            limit.Sentence);
    }

    [Fact]
    public void Find_RunsCpuAndAnotherAreFull_NamesTheRuns()
    {
        CpuLimit limit = Find([Core(0, user: 100), Core(1, system: 93, own: 93)], Pinned(1, 93));

        Assert.Equal(1, limit.Cpu);
    }

    [Fact]
    public void Find_SoftirqFillsACpuWithoutTheRun_NamesIt()
    {
        CpuLimit limit = Find([Core(0, softirq: 98), Core(1, system: 50, own: 50)], Pinned(1, 50));

        Assert.Equal((0, CpuLimit.SoftirqCause), (limit.Cpu, limit.Cause));
        Assert.Equal("CPU 0 is the limit: 98 % busy, 100 % of it softirq", limit.Sentence);
    }

    /// <summary>Who may have filled CPU 1, by the work that the run has there and by the CPU's time.</summary>
    [Theory]
    // The run's own thread.
    [InlineData("receive", 20, 75, 0, 0, 95, "work", "95 % busy, 79 % of it system; receive ran there")]
    [InlineData(
        "receive", 5, 30, 60, 0, 94,
        "softirq", "95 % busy, 63 % of it softirq; receive ran there, with 94 % of its time")]
    [InlineData(
        "receive", 15, 75, 0, 0, 70,
        "work", "90 % busy, 83 % of it system; receive ran there; other programs and kernel threads took 20 %")]
    // Another program beside it.
    [InlineData(
        "receive", 99, 0, 0, 0, 12,
        "other program", "99 % busy, 100 % of it user; receive ran there, with 12 % of its time")]
    [InlineData(
        "receive", 0, 99, 0, 0, 12,
        "other program", "99 % busy, 100 % of it system; receive ran there, with 12 % of its time")]
    // Interrupts only: soft interrupts, and kernel threads that take packets, are the run's.
    [InlineData("interrupts", 0, 0, 98, 0, 0, "softirq", "98 % busy, 100 % of it softirq; interrupts ran there")]
    [InlineData(
        "interrupts", 45, 5, 45, 0, 0,
        "softirq",
        "95 % busy, 47 % of it user; interrupts ran there; other programs and kernel threads took 50 %")]
    [InlineData(
        "interrupts", 0, 50, 45, 0, 0,
        "work",
        "95 % busy, 53 % of it system; interrupts ran there; other programs and kernel threads took 50 %")]
    [InlineData("interrupts", 95, 0, 4, 0, 0, "other program", "99 % busy, 96 % of it user; interrupts ran there")]
    // Both.
    [InlineData(
        "interrupts,receive", 5, 40, 50, 0, 45,
        "softirq", "95 % busy, 53 % of it softirq; interrupts and receive ran there, with 45 % of its time")]
    [InlineData(
        "interrupts,receive", 70, 5, 20, 0, 8,
        "other program", "95 % busy, 74 % of it user; interrupts and receive ran there, with 8 % of its time")]
    // The hypervisor.
    [InlineData(
        "receive", 10, 20, 0, 65, 30,
        "steal",
        "95 % busy, 68 % of it steal; receive ran there, with 30 % of its time; the hypervisor took 65 % (steal)")]
    [InlineData(
        "receive", 0, 60, 0, 35, 60,
        "work", "95 % busy, 63 % of it system; receive ran there; the hypervisor took 35 % (steal)")]
    [InlineData(
        "interrupts", 0, 0, 30, 66, 0,
        "steal", "96 % busy, 69 % of it steal; interrupts ran there; the hypervisor took 66 % (steal)")]
    public void Find_FullCpu_SaysWhatFilledIt(
        string roles, double user, double system, double softirq, double steal, double own, string cause, string end)
    {
        CpuAttribution places = Pinned(0, 20);
        if (roles.Contains("receive", StringComparison.Ordinal)) places.Add(Pinned(1, own));
        if (roles.Contains("interrupts", StringComparison.Ordinal)) places.AddRole(1, CpuAttribution.InterruptRole);
        CpuReport full = Core(1, user, system, softirq, steal, own);

        CpuLimit limit = Find([Core(0, user: 20, own: 20), full], places);
        CpuLimit throttled = Find([Core(0, user: 20, own: 20), full], places, throttledSeconds: 4);

        string begin = cause is CpuLimit.OtherCause ? "CPU 1 is full with another program" : "CPU 1 is the limit";
        Assert.Equal((1, cause, $"{begin}: {end}"), (limit.Cpu, limit.Cause, limit.Sentence));
        Assert.Equal((1, cause), (throttled.Cpu, throttled.Cause));
        Assert.Equal(
            $"{limit.Sentence}; the control group's quota (cpu.max) throttled the process for 4.00 s of CPU time",
            throttled.Sentence);
    }

    [Fact]
    public void Find_FullCpuWithoutTheRunButThreadsMove_BlamesNobody()
    {
        var places = new CpuAttribution();
        places.AddThread(Thread("send", cpu: 1, percent: 95), pinnedCpu: null);

        CpuLimit limit = Find([Core(0, user: 95), Core(1, user: 20, own: 20)], places);

        Assert.Equal((null, null), (limit.Cpu, limit.Cause));
        Assert.Equal(
            "no CPU is known to be the limit: CPU 0 was 95 % busy, 100 % of it user, perhaps with threads of this run, "
                + "which are not pinned",
            limit.Sentence);
    }

    /// <summary>A thread on CPU 0, which another program uses too: the sender's soft interrupts are large.</summary>
    [Theory]
    [InlineData(58, 5, "other program", "; send ran there, with 43 % of its time, and waited for it 58 % of the time")]
    [InlineData(58, -1, "other program", "; send ran there, with 43 % of its time, and waited for it 58 % of the time")]
    // It hardly waited for it: the other program took only what was left.
    [InlineData(4, 5, "other program", "; send ran there, with 43 % of its time")]
    [InlineData(4, -1, "work", "; send ran there; other programs and kernel threads took 34 %")]
    public void Find_ThreadSharesItsCpuWithAnotherProgram_SaysWhatItWaitedFor(
        double waited, double ownUser, string cause, string end)
    {
        CpuReport core = Core(0, user: 59, system: 18, softirq: 23, own: 43);

        CpuLimit limit = Find([core], Waiting("send", cpu: 0, percent: 43, waited, ownUser));

        Assert.Equal((0, cause), (limit.Cpu, limit.Cause));
        Assert.EndsWith($"59 % of it user{end}", limit.Sentence);
    }

    [Theory]
    [InlineData(45, CpuLimit.OtherCause)]
    [InlineData(20, CpuLimit.WorkCause)]
    public void Find_OtherProgramTookLessThanTheRun_IsTheCauseOnlyIfTheRunWaited(double waited, string cause)
    {
        CpuReport core = Core(0, user: 70, system: 20, softirq: 10, own: 50);

        CpuLimit limit = Find([core], Waiting("send", cpu: 0, percent: 50, waited, ownUser: 30));

        Assert.Equal((0, cause), (limit.Cpu, limit.Cause));
    }

    [Fact]
    public void Find_ThreadWaitedForSoftInterrupts_BlamesNoProgram()
    {
        // ksoftirqd, a thread of the kernel, takes half of the CPU.
        CpuReport core = Core(0, user: 5, system: 45, softirq: 50, own: 50);

        CpuLimit limit = Find([core], Waiting("receive", cpu: 0, percent: 50, waited: 50, ownUser: 5));

        Assert.Equal((0, CpuLimit.WorkCause), (limit.Cpu, limit.Cause));
    }

    [Fact]
    public void Find_ThreadsOfTheRunWaitForEachOther_BlamesNoProgram()
    {
        CpuAttribution places = Waiting("send", cpu: 0, percent: 48, waited: 50, ownUser: 5);
        places.Add(Waiting("receive", cpu: 0, percent: 50, waited: 48, ownUser: 10));

        CpuLimit limit = Find([Core(0, user: 16, system: 84, own: 98)], places);

        Assert.Equal((0, CpuLimit.WorkCause), (limit.Cpu, limit.Cause));
        Assert.DoesNotContain("other", limit.Sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void Find_OwnWorkFillsOneCpuAndAnotherProgramTheOther_NamesTheOwn()
    {
        CpuAttribution places = Waiting("receive", cpu: 1, percent: 47, waited: 50, ownUser: 10);
        places.Add(Waiting("send", cpu: 0, percent: 98, waited: 1, ownUser: 9));

        CpuLimit limit = Find(
            [Core(0, user: 10, system: 60, softirq: 29, own: 98), Core(1, user: 63, system: 37, own: 47)], places);

        Assert.Equal((0, CpuLimit.WorkCause), (limit.Cpu, limit.Cause));
        Assert.EndsWith("; send ran there; another program fills CPU 1", limit.Sentence);
    }

    [Fact]
    public void Find_HypervisorTookMost_SaysSteal()
    {
        CpuLimit limit = Find([Core(1, system: 30, steal: 65, own: 30)], Pinned(1, 30));

        Assert.Equal((1, CpuLimit.StealCause), (limit.Cpu, limit.Cause));
        Assert.EndsWith("; the hypervisor took 65 % (steal)", limit.Sentence);
    }

    [Fact]
    public void Find_ThreadSpinsOnPurpose_IsNoLimitByItself()
    {
        var places = new CpuAttribution();
        places.AddThread(Thread("send", cpu: 1, percent: 99), pinnedCpu: 1, spins: true);

        CpuLimit limit = Find([Core(1, user: 99, own: 99)], places);

        Assert.Equal((null, CpuLimit.SpinCause), (limit.Cpu, limit.Cause));
        Assert.Contains("but a thread spins there; send ran there", limit.Sentence);
    }

    [Fact]
    public void Find_SpinningThreadAndAFullReader_NamesTheReader()
    {
        CpuAttribution places = Pinned(1, 92);
        places.AddThread(Thread("send", cpu: 0, percent: 99), pinnedCpu: 0, spins: true);

        Assert.Equal(1, Find([Core(0, user: 99, own: 99), Core(1, system: 92, own: 92)], places).Cpu);
    }

    [Fact]
    public void Find_ThreadThatNeverPausedOnSeveralCpus_NamesTheThread()
    {
        var places = new CpuAttribution();
        places.AddThread(Thread("receive", cpu: 0, percent: 50), pinnedCpu: null);
        places.AddThread(Thread("receive", cpu: 1, percent: 48), pinnedCpu: null);

        CpuLimit limit = Find([Core(0, system: 60, own: 50), Core(1, system: 55, own: 48)], places);

        Assert.Equal((null, CpuLimit.ThreadCause), (limit.Cpu, limit.Cause));
        Assert.StartsWith("thread \"receive 0\" is the limit: it ran 98 % of the time", limit.Sentence);
    }

    [Fact]
    public void Find_QuotaUsedUp_SaysQuota()
    {
        CpuLimit limit = Find([Core(1, system: 50, own: 50)], Pinned(1, 50), throttledSeconds: 4.5);

        Assert.Equal((null, CpuLimit.QuotaCause), (limit.Cpu, limit.Cause));
        Assert.StartsWith(
            "the quota is the limit: the control group's quota (cpu.max) throttled the process for 4.50 s of CPU time",
            limit.Sentence);
        Assert.Null(Find([Core(1, system: 50, own: 50)], Pinned(1, 50), throttledSeconds: 0.1).Cause);
    }

    [Fact]
    public void Find_NothingFull_SaysWhichIsBusiest() => Assert.Equal(
        "no CPU is the limit: the busiest, CPU 1, was 60 % busy",
        Find([Core(0, user: 20), Core(1, system: 60, own: 60)], Pinned(1, 60)).Sentence);

    [Fact]
    public void Find_PlacesUnknown_TakesTheFullCpuForTheRuns()
    {
        CpuLimit limit = Find([Core(0, system: 97, own: null)], new CpuAttribution());

        Assert.Equal((0, CpuLimit.WorkCause), (limit.Cpu, limit.Cause));
    }

    [Fact]
    public void Find_NoCpusOrTooShort_SaysNothing()
    {
        Assert.Equal(new CpuLimit(null, null, null), Find([], new CpuAttribution()));
        Assert.Equal(
            new CpuLimit(null, null, null), CpuLimit.Find([Core(0, user: 100)], new CpuAttribution(), null, 0.1));
    }

    private static CpuLimit Find(CpuReport[] cores, CpuAttribution places, double? throttledSeconds = null) =>
        CpuLimit.Find(
            [.. cores.Select(core => core with { Roles = places.RolesOf(core.Cpu) })],
            places,
            throttledSeconds,
            Seconds);

    private static CpuAttribution Pinned(int cpu, double percent)
    {
        var places = new CpuAttribution();
        places.AddThread(Thread("receive", cpu, percent), cpu);
        return places;
    }

    private static CpuAttribution Waiting(string role, int cpu, double percent, double waited, double ownUser)
    {
        ThreadIntervalReport thread = Thread(role, cpu, percent) with
        {
            RunQueueNanoseconds = (long)(waited / 100 * Seconds * 1e9),
            UserNanoseconds = ownUser < 0 ? null : (long)(ownUser / 100 * Seconds * 1e9),
        };
        var places = new CpuAttribution();
        places.AddThread(thread, cpu);
        return places;
    }

    private static ThreadIntervalReport Thread(string role, int cpu, double percent, int index = 0) => new()
    {
        Role = role,
        Index = index,
        Cpu = cpu,
        CpuNanoseconds = (long)(percent / 100 * Seconds * 1e9),
    };

    private static CpuReport Core(
        int cpu, double user = 0, double system = 0, double softirq = 0, double steal = 0, double? own = 0)
    {
        double busy = user + system + softirq + steal;
        return new CpuReport
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
