namespace Spate.HostTuning.Checks.Cpus;

/// <summary>The CPU time that control groups grant to this process.</summary>
internal sealed class QuotaCheck : HostCheck
{
    private const string Wanted = "no quota, or one for as many CPUs as the program has threads";

    public override string Id => "cpu-quota";

    public override string Subject => "CPU time that the control group grants";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        double? quota = host.Cpus.QuotaCpus;
        string found = quota is { } cpus ? $"{CheckText.Number(cpus)} CPUs' worth of time" : "no quota";
        if (host.Throttled is { } time && time > TimeSpan.Zero)
        {
            yield return Problem(
                found,
                Wanted,
                $"The quota stopped this control group for {CheckText.Number(time.TotalMilliseconds)} ms while this "
                    + "looked, and a reader that is stopped loses what its buffer cannot hold (cpu.stat, "
                    + "cgroup-v2.rst).",
                Math.Max(1, (long)time.TotalMilliseconds));
        }
        else if (quota < host.Cpus.UsableNumbers.Count)
        {
            yield return Advice(
                found,
                Wanted,
                $"This process may run on {host.Cpus.UsableNumbers.Count} CPUs, but is stopped for the rest of each "
                    + "period once the time is used up (cpu.max, cgroup-v2.rst); the container's manager sets it.");
        }
        else if (quota is null && !host.Files.Exists("proc/self/cgroup"))
        {
            yield return Unknown("/proc/self/cgroup is not shown here.");
        }
        else
        {
            yield return Ok(found, "No control group stops this process (cpu.max, cgroup-v2.rst).");
        }
    }
}
