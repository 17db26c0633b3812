namespace Spate.HostTuning.Checks.Cpus;

/// <summary>The service that moves interrupts from CPU to CPU.</summary>
internal sealed class IrqBalanceCheck : HostCheck
{
    private const string Name = "irqbalance";

    // PIDs go up to 4,194,304 (proc_sys_kernel(5), pid_max), but a host of more processes is told of in part only.
    private const int MaxProcesses = 32_768;

    public override string Id => Name;

    public override string Subject => "service that moves interrupts";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        bool isRunning = host.Files.ListNames("proc", MaxProcesses).Any(name =>
            char.IsAsciiDigit(name[0])
            && string.Equals(host.Files.ReadLine($"proc/{name}/comm"), Name, StringComparison.Ordinal));
        if (!isRunning)
        {
            // Mounted with hidepid, or in a container, /proc has this user's or this container's processes only.
            yield return host.Container is null && host.Files.Exists("proc/1/comm")
                ? Ok("not running", "Nothing moves the interrupts of the card.")
                : Unknown("The host's processes are not shown here (/proc).");
        }
        else if (host.Needs.Profile is HostProfile.OneGigabit)
        {
            yield return Ok("running", "It spreads the interrupts of the card, which is enough at this rate.");
        }
        else
        {
            yield return Advice(
                "running",
                "stopped, with interrupts that are set by hand",
                "It may move the card's interrupts to the CPU of the program while it runs (ESnet, interrupt "
                    + "binding).") with
            {
                Command = "systemctl stop irqbalance",
                Undo = "systemctl start irqbalance",
            };
        }
    }
}
