using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.Loss;
using Spate.Measurement.Reports;

namespace Spate.Measurement.HostUse;

/// <summary>One measuring thread: where it ran and what it used.</summary>
internal record ThreadReport : ThreadUseReport
{
    /// <summary>What the thread did: <c>send</c>, <c>receive</c> or <c>handle</c>.</summary>
    public string Role { get; set; } = "";

    /// <summary>The CPU it was bound to; null if it was free to move.</summary>
    public int? Cpu { get; set; }

    /// <summary>The NUMA node of that CPU; null if free to move or unknown.</summary>
    public int? Node { get; set; }

    /// <summary>
    /// What a receiver's thread got of its CPUs while its datagrams came in; null for a sender and for a server.
    /// </summary>
    public ReaderSchedule? Reader { get; set; }

    /// <summary>The report of a thread of which only the CPU is known.</summary>
    /// <param name="role">What it did.</param>
    /// <param name="cpu">The CPU it was bound to; null if it was free to move.</param>
    internal static ThreadReport At(string role, int? cpu) => new()
    {
        Role = role,
        Cpu = cpu,
        Node = cpu is null ? null : CpuFacts.Read().All.FirstOrDefault(other => other.Number == cpu)?.Node,
    };
    /// <summary>
    /// What threads do, how many there are, and the CPUs to which they are bound, for example <c>1 receive@3</c>.
    /// </summary>
    internal static IEnumerable<string> SettingTexts(IEnumerable<ThreadReport> threads) =>
        threads.GroupBy(static one => one.Role, StringComparer.Ordinal).Select(static role =>
        {
            int[] cpus = [.. role.Select(static one => one.Cpu).OfType<int>()];
            int count = role.Count();
            string at = cpus.Length == 0 ? "any" : CpuList.Format(cpus) + (cpus.Length < count ? "+any" : "");
            return $"{ReportSetting.Text(count)} {role.Key}@{at}";
        });
}
