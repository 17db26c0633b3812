using System.Globalization;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.HostUse;

/// <summary>What of the CPUs was the limit of a run; the sentence is null where the system tells nothing.</summary>
internal sealed record CpuLimit(int? Cpu, string? Cause, string? Sentence)
{
    /// <summary>Even a thread that always has work waits for locks and for the other end.</summary>
    public const double FullPercent = 90;

    public const string WorkCause = "work";
    public const string SoftirqCause = "softirq";
    public const string StealCause = "steal";
    public const string OtherCause = "other program";
    public const string SpinCause = "spin";
    public const string ThreadCause = "thread";
    public const string QuotaCause = "quota";

    // Below, stolen and throttled time is what every virtual machine and container has.
    private const double MinToldPercent = 5;

    // The kernel counts a CPU's time by samples and a thread's time exactly, so a smaller difference tells nothing.
    private const double MinToldOthersPercent = 10;

    // From this share of a full CPU's time on, another program is what the run has to wait for.
    private const double MinSharedPercent = 25;

    // The kernel counts in steps of 10 ms, so a shorter time tells nothing.
    private const double MinSeconds = 0.2;

    /// <summary>Of the CPU seconds that control groups withheld, null stands for what is not known.</summary>
    public static CpuLimit Find(
        IReadOnlyList<CpuReport> cpus, CpuAttribution places, double? throttledSeconds, double seconds)
    {
        if (cpus.Count == 0 || seconds < MinSeconds) return new CpuLimit(null, null, null);

        CpuReport[] full =
        [
            .. cpus.Where(static cpu => cpu.BusyPercent >= FullPercent)
                .OrderByDescending(cpu => Relevance(cpu, places, seconds))
                .ThenByDescending(static cpu => cpu.BusyPercent),
        ];
        CpuLimit limit = full.Length == 0
            ? OfThread(cpus, places, seconds)
            : OfFull(full[0], places, seconds);
        if (limit.Cause is WorkCause or SoftirqCause
            && Array.Find(full, cpu => IsShared(cpu, places, seconds)) is { } shared)
        {
            limit = limit with { Sentence = Text($"{limit.Sentence}; another program fills CPU {shared.Cpu}") };
        }

        if (!(throttledSeconds > seconds * MinToldPercent / 100)) return limit;

        string quota = Text(
            $"the control group's quota (cpu.max) throttled the process for {throttledSeconds:0.00} s of CPU time");
        return limit.Cpu is null
            ? new CpuLimit(null, QuotaCause, $"the quota is the limit: {quota}; {limit.Sentence}")
            : limit with { Sentence = $"{limit.Sentence}; {quota}" };
    }

    // What this run does comes first: another program may fill any CPU without being in the way.
    private static int Relevance(CpuReport cpu, CpuAttribution places, double seconds) =>
        cpu.Roles.Length > 0 ? (places.SpinsOn(cpu.Cpu) ? 1 : IsShared(cpu, places, seconds) ? 3 : 4)
        : CauseOf(cpu, places, seconds) is SoftirqCause ? 2
        : 0;

    // Whether it is a CPU of the run that another program fills.
    private static bool IsShared(CpuReport cpu, CpuAttribution places, double seconds) =>
        cpu.Roles.Length > 0 && CauseOf(cpu, places, seconds) is OtherCause;

    private static CpuLimit OfFull(CpuReport cpu, CpuAttribution places, double seconds)
    {
        double others = OthersPercent(cpu, places, seconds);
        string cause = CauseOf(cpu, places, seconds);
        (string part, double partPercent) = cpu.FindLargestPart();
        string busy = Text($"{cpu.BusyPercent:0} % busy, {partPercent:0} % of it {part}");
        if (cpu.Roles.Length == 0 && (cause is OtherCause || (cause is WorkCause && !places.MayBeAnywhere)))
        {
            bool mayHaveMoved = cause is WorkCause && places.MovableNanosecondsBeside(cpu.Cpu) > 0;
            string was = Text($"CPU {cpu.Cpu} was {busy}");
            return new CpuLimit(null, null, mayHaveMoved
                ? $"no CPU is known to be the limit: {was}, perhaps with threads of this run, which are not pinned"
                : Text($"no CPU of this run is the limit; another program fills CPU {cpu.Cpu}: {busy}"));
        }

        string roles = cpu.Roles.Length == 0 ? "" : $"; {string.Join(" and ", cpu.Roles)} ran there";
        string own = cpu.OwnPercent is { } percent && places.HasThreadOn(cpu.Cpu)
            ? Text($", with {percent:0} % of its time")
            : "";
        if (cause is OtherCause)
        {
            string waited = WaitedPercent(cpu, places, seconds) is >= MinToldPercent and var wait
                ? Text($", and waited for it {wait:0} % of the time")
                : "";
            return new CpuLimit(
                cpu.Cpu, cause, Text($"CPU {cpu.Cpu} is full with another program: {busy}{roles}{own}{waited}"));
        }

        if (cause is WorkCause && places.SpinsOn(cpu.Cpu))
        {
            return new CpuLimit(null, SpinCause, Text(
                $"no CPU is known to be the limit: CPU {cpu.Cpu} was {busy}, but a thread spins there{roles}"));
        }

        string beside = others >= MinToldOthersPercent
            ? Text($"; other programs and kernel threads took {others:0} %")
            : "";
        string steal = cpu.StealPercent >= MinToldPercent
            ? Text($"; the hypervisor took {cpu.StealPercent:0} % (steal)")
            : "";
        return new CpuLimit(cpu.Cpu, cause, Text(
            $"CPU {cpu.Cpu} is the limit: {busy}{roles}{(cause is WorkCause ? "" : own)}{beside}{steal}"));
    }

    // No CPU is full, but a thread that moves from CPU to CPU can be.
    private static CpuLimit OfThread(IReadOnlyList<CpuReport> cpus, CpuAttribution places, double seconds)
    {
        CpuReport busiest = cpus.MaxBy(static cpu => cpu.BusyPercent)!;
        string rest = Text($"the busiest, CPU {busiest.Cpu}, was {busiest.BusyPercent:0} % busy");
        if (places.BusiestThread is { } thread && thread.Nanoseconds / 1e7 / seconds is >= FullPercent and var percent)
        {
            string ran = Text($"it ran {Math.Min(100, percent):0} % of the time, on several CPUs");
            return new CpuLimit(null, ThreadCause, $"thread \"{thread.Name}\" is the limit: {ran}; {rest}");
        }

        return new CpuLimit(null, null, $"no CPU is the limit: {rest}");
    }

    // What a run that needs the CPU had to wait for: what took the most of its time. Another program does so if it took
    // more than all that the run may have done: soft interrupts, its threads, and the kernel threads that some drivers
    // take packets with (threaded NAPI), whose time is system time of the CPUs of the interrupts. Another program also
    // does so if it took a good part while threads of the run waited: the scheduler gives each of two programs half.
    private static string CauseOf(CpuReport cpu, CpuAttribution places, double seconds)
    {
        double othersPercent = OthersPercent(cpu, places, seconds);
        bool takesInterrupts = cpu.Roles.Contains(CpuAttribution.InterruptRole, StringComparer.Ordinal);
        double others = takesInterrupts ? Math.Min(othersPercent, cpu.UserPercent) : othersPercent;
        double work = cpu.UserPercent + cpu.SystemPercent - others;
        double interrupts = cpu.SoftirqPercent + cpu.IrqPercent;
        if (cpu.StealPercent > Math.Max(others, Math.Max(work, interrupts))) return StealCause;
        if (others > work + interrupts) return OtherCause;

        bool hasWaited = WaitedPercent(cpu, places, seconds) is not < MinSharedPercent;
        if (others >= MinSharedPercent && hasWaited && places.HasThreadOn(cpu.Cpu)) return OtherCause;

        return interrupts > work ? SoftirqCause : WorkCause;
    }

    // The time of programs that is not of the run's threads; 0 where that is not known. Threads that are free to move
    // may have run here, although they were seen elsewhere: their time is no other program's. Soft interrupts may count
    // as time of the threads that they interrupt, so what is left of the programs' time is at least the others'. The
    // user time alone can show more. Only if either shows others is the waiting due to them, and not to ksoftirqd.
    private static double OthersPercent(CpuReport cpu, CpuAttribution places, double seconds)
    {
        if (cpu.OwnPercent is not { } own) return 0;

        double moved = places.MovableNanosecondsBeside(cpu.Cpu) / 1e7 / seconds;
        double programs = cpu.UserPercent + cpu.SystemPercent;
        double ownUser = places.UserNanosecondsOn(cpu.Cpu) / 1e7 / seconds ?? cpu.UserPercent;
        double least = Math.Max(0, Math.Max(programs - own, cpu.UserPercent - ownUser) - moved);
        double most = programs - Math.Max(0, own - cpu.SoftirqPercent - cpu.IrqPercent);
        return least >= MinToldOthersPercent && WaitedPercent(cpu, places, seconds) is { } waited && waited > least
            ? Math.Max(least, Math.Min(waited, most))
            : least;
    }

    private static double? WaitedPercent(CpuReport cpu, CpuAttribution places, double seconds) =>
        places.WaitedNanosecondsOn(cpu.Cpu) is { } waited ? Math.Min(100, waited / 1e7 / seconds) : null;

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}

/// <summary>How one CPU spent a time, in percent of that time. The parts sum to 100.</summary>
internal sealed record CpuReport
{
    public int Cpu { get; set; }

    public double BusyPercent { get; set; }

    public double UserPercent { get; set; }

    public double SystemPercent { get; set; }

    /// <summary>Time in soft interrupts: the kernel's work on arriving packets.</summary>
    public double SoftirqPercent { get; set; }

    public double IrqPercent { get; set; }

    /// <summary>Time in which the CPU was ready to run, while the hypervisor ran something else.</summary>
    public double StealPercent { get; set; }

    /// <summary>Time without work, or waiting for a disk.</summary>
    public double IdlePercent { get; set; }

    /// <summary>How often its soft interrupt for arriving packets (NET_RX) ran; null where it is not told.</summary>
    public long? ReceiveInterrupts { get; set; }

    /// <summary>
    /// Of this run's threads, those without a CPU of their own where they ran last. May overlap with
    /// <see cref="SoftirqPercent"/>. Null where it is not measured.
    /// </summary>
    public double? OwnPercent { get; set; }

    /// <summary>
    /// <c>send</c>, <c>receive</c> or <c>handle</c>, and <c>interrupts</c> where interfaces are served or steer packets
    /// to.
    /// </summary>
    public string[] Roles { get; set; } = [];

    public override string ToString() => RecordText.Of(nameof(CpuReport), PrintMembers, (nameof(Roles), Roles));

    /// <summary>The report of a CPU; null where its counts did not move, as while it was being plugged in.</summary>
    internal static CpuReport? Of(int cpu, CpuUse use, CpuAttribution places)
    {
        CpuTimes times = use.Times;
        if (times.Total == 0) return null;

        return new CpuReport
        {
            Cpu = cpu,
            BusyPercent = Share(times.Busy),
            UserPercent = Share(times.User),
            SystemPercent = Share(times.System),
            SoftirqPercent = Share(times.Softirq),
            IrqPercent = Share(times.Irq),
            StealPercent = Share(times.Steal),
            IdlePercent = Share(times.Idle),
            ReceiveInterrupts = use.ReceiveInterrupts,
            OwnPercent = places.NanosecondsOn(cpu) is { } own ? Math.Min(100, Share(own)) : null,
            Roles = places.RolesOf(cpu),
        };

        // The kernel counts in steps of 10 ms: further digits mean nothing.
        double Share(long part) => Math.Round(100 * Statistics.Ratio(part, times.Total), 2);
    }

    /// <summary>Of the parts of <see cref="BusyPercent"/>, in percent of the busy time.</summary>
    public (string Name, double Percent) FindLargestPart()
    {
        (string Name, double Percent)[] parts =
        [
            ("user", UserPercent), ("system", SystemPercent), ("softirq", SoftirqPercent), ("irq", IrqPercent),
            ("steal", StealPercent),
        ];
        (string name, double percent) = parts.MaxBy(static part => part.Percent);
        return (name, 100 * Statistics.Ratio(percent, BusyPercent));
    }

    /// <summary>The interval and the one that follows it as one; the weight is this one's share of both.</summary>
    internal CpuReport Extend(CpuReport next, double weight)
    {
        return this with
        {
            BusyPercent = Mean(BusyPercent, next.BusyPercent),
            UserPercent = Mean(UserPercent, next.UserPercent),
            SystemPercent = Mean(SystemPercent, next.SystemPercent),
            SoftirqPercent = Mean(SoftirqPercent, next.SoftirqPercent),
            IrqPercent = Mean(IrqPercent, next.IrqPercent),
            StealPercent = Mean(StealPercent, next.StealPercent),
            IdlePercent = Mean(IdlePercent, next.IdlePercent),
            ReceiveInterrupts = ReceiveInterrupts + next.ReceiveInterrupts,
            OwnPercent = OwnPercent is { } own && next.OwnPercent is { } other ? Mean(own, other) : null,
            Roles = [.. Roles.Union(next.Roles, StringComparer.Ordinal).Order(StringComparer.Ordinal)],
        };

        double Mean(double first, double second) => Math.Round((weight * first) + ((1 - weight) * second), 2);
    }
}
