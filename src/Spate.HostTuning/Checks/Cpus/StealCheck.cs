using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Checks.Cpus;

/// <summary>Time that a hypervisor took from the CPUs of a virtual machine.</summary>
internal sealed class StealCheck : HostCheck
{
    // A tick of 10 ms now and then is on any virtual machine. From here on a reader pauses noticeably.
    private const double MaxShare = 0.01;
    private const long NanosecondsPerMillisecond = 1_000_000;

    public override string Id => "steal";

    public override string Subject => "time that the hypervisor took";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        if (host.CpuUse.Count == 0)
        {
            yield return Unknown("/proc/stat is not shown here, or changed while this looked.");
            yield break;
        }

        CpuTimes sum = default;
        foreach (CpuUse use in host.CpuUse.Values) sum += use.Times;

        double share = sum.Total > 0 ? (double)sum.Steal / sum.Total : 0;
        string found = $"{CheckText.Number(100 * share)} % of the CPUs' time";
        if (share <= MaxShare)
        {
            yield return Ok(found, "No hypervisor took noticeable time from these CPUs (/proc/stat, column steal).");
            yield break;
        }

        yield return Problem(
            found,
            "CPUs that no other virtual machine shares",
            "The hypervisor ran something else while a CPU here was ready to run: a reader that does not run loses "
                + "what its buffer cannot hold (proc_stat(5), steal).",
            sum.Steal / NanosecondsPerMillisecond);
    }
}
