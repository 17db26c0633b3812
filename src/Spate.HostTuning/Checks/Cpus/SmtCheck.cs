namespace Spate.HostTuning.Checks.Cpus;

/// <summary>Whether two threads of the processor share a core.</summary>
internal sealed class SmtCheck : HostCheck
{
    public override string Id => "smt";

    public override string Subject => "CPUs that share a core";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        yield return host.Files.ReadNumber("sys/devices/system/cpu/smt/active") switch
        {
            0 => Ok("off", "Each CPU has a core of its own."),
            1 when host.Needs.Profile == HostProfile.HundredGigabit => Advice(
                "on",
                "off for the highest rate of one flow",
                "A CPU whose sibling works is slower, and one flow is limited by one CPU; with many flows it is better "
                    + "on (ESnet, 100G tuning).") with
            {
                Command = "echo off > /sys/devices/system/cpu/smt/control",
                Undo = "echo on > /sys/devices/system/cpu/smt/control",
            },
            1 => Ok("on", "It costs one flow some of its rate, which this profile does not need (ESnet, 100G tuning)."),
            _ => Unknown("/sys/devices/system/cpu/smt is not shown here."),
        };
    }
}
