using Spate.HostTuning.Reading.Usage;
using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>The time, the frequency, the sleep and the clock of the CPUs, and the container that limits them.</summary>
internal static class CpuChecks
{
    // A tick of 10 ms now and then is on any virtual machine. From here on a reader pauses noticeably.
    private const double MaxStealShare = 0.01;
    private const long NanosecondsPerMillisecond = 1_000_000;

    private const string WantedGovernor = "performance";

    // CPUFREQ_NAME_LEN of linux/cpufreq.h.
    private const int MaxGovernorLength = 16;

    // The kernel has at most 10 (CPUIDLE_STATE_MAX of linux/cpuidle.h).
    private const int MaxIdleStates = 10;

    // C1 of today's processors takes 1 to 2 microseconds to end, C1E some 10, C6 100 and more.
    private const long MaxWakeMicroseconds = 10;

    private const string IrqBalanceName = "irqbalance";

    // PIDs go up to 4,194,304 (proc_sys_kernel(5), pid_max), but a host of more processes is told of in part only.
    private const int MaxProcesses = 32_768;

    private const string ClockFolder = "sys/devices/system/clocksource/clocksource0/";

    private const string FlawFolder = "sys/devices/system/cpu/vulnerabilities";
    private const int MaxFlaws = 64;

    // These are read without a system call (clocksource.h, vdso_clock_mode; arch/arm64 has one alone).
    private static readonly string[] FastClocks =
        ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource"];

    private static readonly string[] SlowClocks =
        ["hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen", "hyperv_clocksource_msr"];

    private static readonly string[] SettingsOfHost =
        ["net.core.rmem_max", "net.core.wmem_max", "net.core.netdev_max_backlog", "net.ipv4.udp_mem"];

    /// <summary>Time that a hypervisor took from the CPUs of a virtual machine.</summary>
    public static CheckFinding Steal(HostReadings host)
    {
        if (host.CpuUse.Count == 0) return Unknown("/proc/stat is not visible here, or changed during the check.");

        CpuTimes sum = default;
        foreach (CpuUse use in host.CpuUse.Values) sum += use.Times;
        double share = sum.Total > 0 ? (double)sum.Steal / sum.Total : 0;
        string found = $"{CheckText.Number(100 * share)} % of the CPUs' time";
        return share <= MaxStealShare
            ? Ok(found, "No hypervisor took noticeable time from these CPUs (/proc/stat, column steal).")
            : Problem(
                found,
                "CPUs that no other virtual machine shares",
                "The hypervisor ran other work while a CPU here was ready to run: a reader that does not run "
                    + "loses datagrams beyond its receive buffer (proc_stat(5), steal).",
                sum.Steal / NanosecondsPerMillisecond);
    }

    /// <summary>The CPU time that control groups grant to this process.</summary>
    public static CheckFinding Quota(HostReadings host)
    {
        const string Wanted = "no quota, or one for as many CPUs as the program has threads";
        double? quota = host.Cpus.QuotaCpus;
        string found = quota is { } cpus ? $"{CheckText.Number(cpus)} {(cpus == 1 ? "CPU" : "CPUs")}" : "no quota";
        if (host.Throttled is { } time && time > TimeSpan.Zero)
        {
            return Problem(
                found,
                Wanted,
                $"The quota stopped this control group for {CheckText.Number(time.TotalMilliseconds)} ms during the "
                    + "check, and a stopped reader loses datagrams beyond its receive buffer (cpu.stat, "
                    + "cgroup-v2.rst).",
                Math.Max(1, (long)time.TotalMilliseconds));
        }

        if (quota < host.Cpus.UsableNumbers.Count)
        {
            return Advice(
                found,
                Wanted,
                $"This process may run on {host.Cpus.UsableNumbers.Count} CPUs, but is stopped for the rest of each "
                    + "period once the time is used up (cpu.max, cgroup-v2.rst); the container's manager sets it.");
        }

        return quota is null && !host.Files.Exists("proc/self/cgroup")
            ? Unknown("/proc/self/cgroup is not visible here.")
            : Ok(found, "No control group stops this process (cpu.max, cgroup-v2.rst).");
    }

    /// <summary>What decides the frequency of the CPUs.</summary>
    public static CheckFinding Governor(HostReadings host)
    {
        var governors = new List<string>();
        var changes = new List<HostChange>();
        foreach (int cpu in host.Cpus.All.Select(static one => one.Number))
        {
            string folder = $"sys/devices/system/cpu/cpu{cpu}/cpufreq/";
            var setting = new FileSetting(folder + "scaling_governor");
            if (setting.Read(host.Request.RootPath) is not { } governor || !IsName(governor)) continue;

            governors.Add(governor);
            string[] available = (host.Files.ReadLine(folder + "scaling_available_governors") ?? "").Split(' ');
            if (governor is not WantedGovernor && available.Contains(WantedGovernor, StringComparer.Ordinal))
            {
                changes.Add(new HostChange(setting, governor, WantedGovernor));
            }
        }

        if (governors.Count == 0)
        {
            return Unknown("The system has no governor: the firmware or a hypervisor sets the frequency.");
        }

        string found = string.Join(", ", governors.CountBy(static one => one, StringComparer.Ordinal)
            .Select(static one => $"{one.Key} on {CheckText.Plural(one.Value, "CPU")}"));
        return governors.TrueForAll(static one => one is WantedGovernor)
            ? Ok(found, "The CPUs keep their highest frequency.")
            : Advice(
                found,
                WantedGovernor,
                "A CPU that slows down at a low rate is late when the rate rises (ESnet, 100G tuning).")
                .With(changes);

        static bool IsName(string text) => text.Length <= MaxGovernorLength
            && text.All(static one => char.IsAsciiLetterOrDigit(one) || one is '_' or '-');
    }

    /// <summary>How deep the CPUs sleep when there is nothing to do.</summary>
    public static CheckFinding IdleStates(HostReadings host)
    {
        string folder = $"sys/devices/system/cpu/cpu{host.Cpus.All[0].Number}/cpuidle/";
        List<long> latencies = [];
        List<int> deepStates = [];
        for (int state = 0; state < MaxIdleStates; state++)
        {
            if (host.Files.ReadNumber($"{folder}state{state}/latency") is { } latency and >= 0
                && host.Files.ReadNumber($"{folder}state{state}/disable") is null or 0)
            {
                latencies.Add(latency);
                if (latency > MaxWakeMicroseconds) deepStates.Add(state);
            }
        }

        if (latencies.Count == 0)
        {
            return Unknown("The system has no idle states: a hypervisor or the firmware manages them.");
        }

        string found = $"up to {CheckText.Plural(latencies.Max(), "microsecond")} to wake up";
        return host.Needs.Profile != HostProfile.Latency || latencies.Max() <= MaxWakeMicroseconds
            ? Ok(found, "This matters only for low RTT (profile latency).")
            : Advice(
                found,
                $"at most {MaxWakeMicroseconds} microseconds",
                "A packet waits until its idle CPU has woken up; a program may also hold "
                    + "/dev/cpu_dma_latency open with 0 (pm_qos_interface.rst).") with
            {
                Command = CommandFor(deepStates, isOff: true),
                Undo = CommandFor(deepStates, isOff: false),
            };

        // States that are off already stay so when this is taken back, which cpupower idle-set -E would not keep to.
        static string CommandFor(IEnumerable<int> states, bool isOff) =>
            $"for f in /sys/devices/system/cpu/cpu*/cpuidle/state[{string.Concat(states)}]/disable; "
            + $"do echo {(isOff ? 1 : 0)} > $f; done";
    }

    /// <summary>The service that moves interrupts from CPU to CPU.</summary>
    public static CheckFinding IrqBalance(HostReadings host)
    {
        bool isRunning = host.Files.ListNames("proc", MaxProcesses).Any(name =>
            char.IsAsciiDigit(name[0])
            && string.Equals(host.Files.ReadLine($"proc/{name}/comm"), IrqBalanceName, StringComparison.Ordinal));
        if (!isRunning)
        {
            // Mounted with hidepid, or in a container, /proc has this user's or this container's processes only.
            return host.Container is null && host.Files.Exists("proc/1/comm")
                ? Ok("not running", "No service moves the interrupts of the NIC.")
                : Unknown("The host's processes are not visible here (/proc).");
        }

        return host.Needs.Profile is HostProfile.OneGigabit
            ? Ok("running", "It spreads the interrupts of the NIC, which is enough at this rate.")
            : Advice(
                "running",
                "stopped, with the interrupts pinned by hand",
                "It may move the NIC's interrupts to the CPU of the program while it runs (ESnet, interrupt "
                    + "binding).") with
            {
                Command = "systemctl stop irqbalance",
                Undo = "systemctl start irqbalance",
            };
    }

    /// <summary>Where the kernel reads the time.</summary>
    public static CheckFinding ClockSource(HostReadings host)
    {
        string? current = host.Files.ReadLine(ClockFolder + "current_clocksource");
        if (Array.IndexOf(FastClocks, current) >= 0)
        {
            return Ok(current!, "A program reads it without a system call (vdso(7)).");
        }

        if (Array.IndexOf(SlowClocks, current) < 0)
        {
            return Unknown(
                $"/{ClockFolder}current_clocksource is not visible here, or names an unknown clock.");
        }

        string[] available = (host.Files.ReadLine(ClockFolder + "available_clocksource") ?? "").Split(' ');
        string? better = Array.Find(FastClocks, one => Array.IndexOf(available, one) >= 0);
        CheckFinding finding = Advice(
            current!,
            better ?? "tsc",
            "Each reading is a system call, and most of these clocks are slow: each timestamp of a datagram and each "
                + "paced send reads the clock (vdso(7)); the kernel log shows the reason for this clock.");
        return better is null
            ? finding
            : finding with
            {
                Command = $"echo {better} > /{ClockFolder}current_clocksource",
                Undo = $"echo {current} > /{ClockFolder}current_clocksource",
            };
    }

    /// <summary>Whether two threads of the processor share a core.</summary>
    public static CheckFinding Smt(HostReadings host) =>
        host.Files.ReadNumber("sys/devices/system/cpu/smt/active") switch
        {
            0 => Ok("off", "Each CPU has a core of its own."),
            1 when host.Needs.Profile == HostProfile.HundredGigabit => Advice(
                "on",
                "off for the highest rate of one flow",
                "A CPU with a busy sibling is slower, and one CPU limits one flow; with many flows SMT is better "
                    + "on (ESnet, 100G tuning).") with
            {
                Command = "echo off > /sys/devices/system/cpu/smt/control",
                Undo = "echo on > /sys/devices/system/cpu/smt/control",
            },
            1 => Ok("on", "It lowers the rate of one flow, which this profile does not need (ESnet, 100G tuning)."),
            _ => Unknown("/sys/devices/system/cpu/smt is not visible here."),
        };

    /// <summary>What cannot be set from within a container.</summary>
    public static CheckFinding Container(HostReadings host)
    {
        if (!host.Files.Exists("proc/sys/kernel/osrelease")) return Unknown("/proc is not visible here.");

        string found = host.Container is { } name ? CheckText.Name(name) : "no container";
        if (!new SysctlSetting(SettingsOfHost[0]).IsRefused(host.Files))
        {
            return Ok(found, "The limits of the host can be set here.");
        }

        string reason = $"{string.Join(", ", SettingsOfHost)} cannot be set here, because the kernel has one value for "
            + "all network namespaces (net/core/sysctl_net_core.c).";
        found = host.Container is null ? "a network namespace of its own" : found;
        return IsEnough(SettingsOfHost[0]) && IsEnough(SettingsOfHost[1])
            ? Ok(found, reason)
            : Advice(found, "the limits of buffers raised on the host", reason);

        bool IsEnough(string key) => host.ReadNumber(new SysctlSetting(key)) >= host.Needs.BufferLimitBytes;
    }

    /// <summary>Mitigations of flaws of the processor. They explain figures; nobody is to change them.</summary>
    public static CheckFinding Mitigations(HostReadings host)
    {
        List<string> names = host.Files.ListNames(FlawFolder, MaxFlaws);
        if (names.Count == 0) return Unknown($"/{FlawFolder} is not visible here.");

        names.Sort(StringComparer.Ordinal);
        string on = string.Join(", ", names
            .Where(name => host.Files.ReadLine($"{FlawFolder}/{name}")
                ?.StartsWith("Mitigation", StringComparison.Ordinal) == true)
            .Select(CheckText.Name));
        return Ok(
            on.Length > 0 ? $"on for {on}" : "none on",
            "They slow down each system call, some by half; compare only hosts with the same mitigations "
                + "(hw-vuln/index.rst).");
    }
}
