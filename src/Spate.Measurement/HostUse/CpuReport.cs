using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.HostUse;

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
