using System.Globalization;

namespace Spate.Measurement.Cores;

/// <summary>The CPU that is the limit of a run, if one is.</summary>
/// <param name="Cpu">The CPU that is full; null where none is.</param>
/// <param name="Sentence">What there is to say, in one sentence; null where the system tells nothing.</param>
internal sealed record CoreLimit(int? Cpu, string? Sentence)
{
    /// <summary>
    /// From this share on a CPU counts as full. A thread that is never without work still waits for locks, for the
    /// other end and at the begin and end of a run.
    /// </summary>
    public const double FullPercent = 90;

    // Below, stolen and throttled time is what every virtual machine and container has.
    private const double MinToldPercent = 5;

    /// <summary>Finds the limit.</summary>
    /// <param name="cores">All CPUs over the run.</param>
    /// <param name="throttledSeconds">How long control groups kept the process from running; null where unknown.</param>
    /// <param name="seconds">How long the run took.</param>
    public static CoreLimit Find(IReadOnlyList<CoreReport> cores, double? throttledSeconds, double seconds)
    {
        if (cores.Count == 0) return new CoreLimit(null, null);

        // What this run does comes first: another program may fill any CPU without being in the way.
        CoreReport busiest = cores
            .OrderByDescending(static core => core.BusyPercent >= FullPercent && core.Roles.Length > 0)
            .ThenByDescending(static core => core.BusyPercent)
            .First();
        bool isFull = busiest.BusyPercent >= FullPercent;
        string sentence = isFull ? OfFull(busiest) : Text(
            $"no CPU is the limit: the busiest, CPU {busiest.Cpu}, was {busiest.BusyPercent:0} % busy");
        if (throttledSeconds > seconds * MinToldPercent / 100)
        {
            sentence += Text(
                $"; the control group's quota (cpu.max) kept {throttledSeconds:0.00} s of CPU time from the process");
        }

        return new CoreLimit(isFull && busiest.Roles.Length > 0 ? busiest.Cpu : null, sentence);
    }

    private static string OfFull(CoreReport core)
    {
        string roles = core.Roles.Length == 0
            ? "without any thread of this run: another program fills it"
            : string.Join(" and ", core.Roles) + " ran there";
        string verb = core.Roles.Length == 0 ? "is full" : "is the limit";
        string steal = core.StealPercent >= MinToldPercent
            ? Text($"; the hypervisor took {core.StealPercent:0} % (steal)")
            : "";
        return Text($"CPU {core.Cpu} {verb}: {core.BusyPercent:0} % busy, {LargestPart(core)}; {roles}{steal}");
    }

    private static string LargestPart(CoreReport core)
    {
        (string Name, double Percent)[] parts =
        [
            ("user", core.UserPercent), ("system", core.SystemPercent), ("softirq", core.SoftirqPercent),
            ("irq", core.IrqPercent), ("steal", core.StealPercent),
        ];
        (string name, double percent) = parts.MaxBy(static part => part.Percent);
        return Text($"{100 * percent / core.BusyPercent:0} % of it {name}");
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
