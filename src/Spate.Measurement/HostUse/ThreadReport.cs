using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.Reports;

namespace Spate.Measurement.HostUse;

/// <summary>What a thread used of the CPUs during its report; null where the system does not tell.</summary>
internal abstract record ThreadUseReport
{
    public long? CpuNanoseconds { get; set; }

    /// <summary>The part of it in the program, in steps of 10 ms; null where the system does not tell.</summary>
    public long? UserNanoseconds { get; set; }

    /// <summary>The part of it in the kernel, in steps of 10 ms; null where the system does not tell.</summary>
    public long? SystemNanoseconds { get; set; }

    /// <summary>Nanoseconds ready to run but waiting for a CPU; null where the system does not tell.</summary>
    public long? RunQueueNanoseconds { get; set; }

    public long? VoluntarySwitches { get; set; }

    public long? InvoluntarySwitches { get; set; }

    /// <summary>Cycles of the processor that it used; null on other systems than Windows.</summary>
    public long? Cycles { get; set; }

    internal void SetUse(ThreadUse use)
    {
        CpuNanoseconds = use.Usage.CpuNanoseconds;
        UserNanoseconds = use.Times.UserNanoseconds;
        SystemNanoseconds = use.Times.SystemNanoseconds;
        RunQueueNanoseconds = use.Usage.RunQueueNanoseconds;
        VoluntarySwitches = use.Usage.VoluntarySwitches;
        InvoluntarySwitches = use.Usage.InvoluntarySwitches;
        Cycles = use.Usage.Cycles;
    }
}

/// <summary>One measuring thread: where it ran and what it used.</summary>
internal record ThreadReport : ThreadUseReport
{
    public string Role { get; set; } = "";

    /// <summary>The CPU it was bound to; null if it was free to move.</summary>
    public int? Cpu { get; set; }

    /// <summary>The NUMA node of that CPU; null if free to move or unknown.</summary>
    public int? Node { get; set; }

    /// <summary>While datagrams came in; null for a sender and for a server.</summary>
    public ReaderSchedule? Reader { get; set; }

    internal static ThreadReport At(string role, int? cpu) => new()
    {
        Role = role,
        Cpu = cpu,
        Node = cpu is null ? null : CpuFacts.Read().All.FirstOrDefault(other => other.Number == cpu)?.Node,
    };

    /// <summary>For example <c>1 receive@3</c>: how many threads do what, and on which CPUs.</summary>
    internal static IEnumerable<string> SettingTexts(IEnumerable<ThreadReport> threads) =>
        threads.GroupBy(static one => one.Role, StringComparer.Ordinal).Select(static role =>
        {
            int[] cpus = [.. role.Select(static one => one.Cpu).OfType<int>()];
            int count = role.Count();
            string at = cpus.Length == 0 ? "any" : CpuList.Format(cpus) + (cpus.Length < count ? "+any" : "");
            return $"{ReportSetting.Text(count)} {role.Key}@{at}";
        });
}
