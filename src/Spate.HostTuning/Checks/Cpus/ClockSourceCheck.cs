namespace Spate.HostTuning.Checks.Cpus;

/// <summary>Where the kernel reads the time.</summary>
internal sealed class ClockSourceCheck : HostCheck
{
    private const string Folder = "sys/devices/system/clocksource/clocksource0/";

    // These are read without a system call (clocksource.h, vdso_clock_mode; arch/arm64 has one alone).
    private static readonly string[] Fast =
        ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource"];

    private static readonly string[] Slow =
        ["hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen", "hyperv_clocksource_msr"];

    public override string Id => "clock-source";

    public override string Subject => "clock of the kernel";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        string? current = host.Files.ReadLine(Folder + "current_clocksource");
        if (Array.IndexOf(Fast, current) >= 0)
        {
            yield return Ok(current!, "A program reads it without a system call (vdso(7)).");
            yield break;
        }

        if (Array.IndexOf(Slow, current) < 0)
        {
            yield return Unknown(
                $"/{Folder}current_clocksource is not shown here, or names a clock that this does not know.");
            yield break;
        }

        string[] available = (host.Files.ReadLine(Folder + "available_clocksource") ?? "").Split(' ');
        string? better = Array.Find(Fast, one => Array.IndexOf(available, one) >= 0);
        CheckFinding finding = Advice(
            current!,
            better ?? "tsc",
            "Each reading is a system call, and most of these clocks are slow: each time stamp of a datagram and each "
                + "pause between two pays for it (vdso(7)); the kernel's log says why it chose this one.");
        yield return better is null
            ? finding
            : finding with
            {
                Command = $"echo {better} > /{Folder}current_clocksource",
                Undo = $"echo {current} > /{Folder}current_clocksource",
            };
    }
}
