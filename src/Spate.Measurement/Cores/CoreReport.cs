using Spate.HostTuning.Usage;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Cores;

/// <summary>How one CPU spent a time, in percent of that time. The parts sum to 100.</summary>
public sealed record CoreReport
{
    /// <summary>The number of the CPU.</summary>
    public int Cpu { get; set; }

    /// <summary>All but the idle time, stolen time included.</summary>
    public double BusyPercent { get; set; }

    /// <summary>In programs.</summary>
    public double UserPercent { get; set; }

    /// <summary>In the kernel for programs.</summary>
    public double SystemPercent { get; set; }

    /// <summary>In soft interrupts: the kernel's work on arriving packets.</summary>
    public double SoftirqPercent { get; set; }

    /// <summary>In hardware interrupts.</summary>
    public double IrqPercent { get; set; }

    /// <summary>Ready to run, while the hypervisor ran something else.</summary>
    public double StealPercent { get; set; }

    /// <summary>Without work, or waiting for a disk.</summary>
    public double IdlePercent { get; set; }

    /// <summary>How often its soft interrupt for arriving packets (NET_RX) ran; null where it is not told.</summary>
    public long? ReceiveInterrupts { get; set; }

    /// <summary>
    /// What this run did there: the roles of its threads (<c>send</c>, <c>receive</c>, <c>handle</c>), those without a
    /// CPU of their own where they ran last, and <c>interrupts</c> where the run's interface is served.
    /// </summary>
    public string[] Roles { get; set; } = [];

    /// <summary>The report of a CPU; null where its counts did not move, as while it was being plugged in.</summary>
    internal static CoreReport? Of(int cpu, CpuUse use, string[] roles)
    {
        CpuTimes times = use.Times;
        if (times.Total == 0) return null;

        return new CoreReport
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
            Roles = roles,
        };

        double Share(long part) => 100 * Statistics.Ratio(part, times.Total);
    }
}
