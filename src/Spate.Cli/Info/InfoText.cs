using System.Globalization;
using Spate.Cli.Shell.Terminal;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Cpus;

namespace Spate.Cli.Info;

/// <summary>The text of <c>spate info</c>.</summary>
internal static class InfoText
{
    private const string Unknown = "unknown";

    // A machine has a last-level cache per package or chiplet. The text names the first few, --json all.
    private const int MaxCaches = 4;

    private static readonly Table<Fact> ShownFacts = new(
        new("", Align.Left, 0, static fact => fact.Name, MinWidth: 9),
        new("", Align.Wrapped, 0, static fact => fact.Value));

    private static readonly Table<List<CpuInfo>> Cpus = new(
        new("package", Align.Right, 0, static cpus => Text(cpus[0].Package)),
        new("node", Align.Right, 0, static cpus => Text(cpus[0].Node)),
        new("cores", Align.Right, 1, static cpus => Text(CoreCount(cpus))),
        new("CPUs", Align.Left, 0, static cpus => Numbers(cpus, usableOnly: false)),
        new("usable", Align.Left, 0, static cpus => Numbers(cpus, usableOnly: true)));

    private static readonly Table<InfoCapability> Capabilities = new(
        new("fast path", Align.Left, 0, static capability => capability.Name),
        new("here", Align.Left, 0, static capability => capability.Available ? "yes" : "no"),
        new("why", Align.Wrapped, 0, static capability => capability.Reason));

    private static readonly Table<Limit> Buffers = new(
        new("buffer limit", Align.Left, 0, static limit => limit.Name),
        new("value", Align.Right, 0, static limit => limit.Value),
        new("sysctl", Align.Left, 1, static limit => limit.Sysctl));

    private static readonly Table<InfoInterface> Interfaces = new(
        new("interface", Align.Left, 0, static network => network.Name),
        new("state", Align.Left, 0, static network => network.IsUp ? "up" : "down"),
        new("MTU", Align.Right, 1, static network => Text(network.MtuBytes)),
        new("IPv4 payload", Align.Right, 2, static network => Text(network.MaxIpv4PayloadBytes)),
        new("IPv6 payload", Align.Right, 3, static network => Text(network.MaxIpv6PayloadBytes)),
        new("addresses", Align.Wrapped, 0, static network =>
            network.Addresses.Count == 0 ? "-" : string.Join(' ', network.Addresses)));

    public static void Write(InfoReport report, TerminalWriter writer)
    {
        writer.Line($"Spate {report.SpateVersion}");
        writer.Line();
        writer.Table(ShownFacts, Facts(report));
        writer.Line();
        writer.Table(Cpus, Groups(report.Cpus.All));
        WriteCapabilities(report, writer);
        WriteBuffers(report.Buffers, writer);
        writer.Line();
        writer.Table(Interfaces, report.Interfaces);
        WriteInterrupts(report.Interfaces, writer);
    }

    private static IEnumerable<Fact> Facts(InfoReport report)
    {
        yield return new Fact("system", $"{report.OperatingSystem} {report.OperatingSystemVersion}".Trim());
        yield return new Fact("kernel", report.KernelRelease);
        yield return new Fact("runtime", $"{report.RuntimeVersion}, {report.Architecture}");
        if (report.Container is { } container) yield return new Fact("container", container);

        InfoCpus cpus = report.Cpus;
        yield return new Fact("CPUs", $"{cpus.UsableList} usable ({cpus.UsableCount} of {cpus.OnlineCount} online), "
            + (cpus.ModelName ?? "unknown model"));
        if (cpus.QuotaCpus is { } quota)
        {
            yield return new Fact("CPU quota", $"{quota:0.##} {(quota == 1 ? "CPU" : "CPUs")} (cgroup cpu.max)");
        }

        yield return new Fact("cores", Cores(cpus));
        if (cpus.CoreCount is not null && cpus.LastLevelCaches.Count > 0)
        {
            yield return new Fact("caches", Caches(cpus.LastLevelCaches));
        }
    }

    private static string Cores(InfoCpus cpus)
    {
        if (cpus.CoreCount is not { } coreCount) return Unknown;

        (int threads, int rest) = Math.DivRem(cpus.OnlineCount, coreCount);
        return rest != 0 ? $"{coreCount} for {cpus.OnlineCount} CPUs"
            : threads == 1 ? $"{coreCount}, one thread each" : $"{coreCount}, {threads} threads each";
    }

    private static string Caches(IReadOnlyList<InfoCache> caches)
    {
        string named = string.Join("; ", caches.Take(MaxCaches).Select(static cache =>
            $"L{cache.Level}{(cache.SizeBytes is { } bytes ? " " + Units.Bytes(bytes) : "")} "
            + $"shared by {cache.CpuList}"));
        return caches.Count > MaxCaches ? $"{named}; and {caches.Count - MaxCaches} more" : named;
    }

    // Groups by text: code that groups by a key of another type is compiled at run time, which takes longer than the
    // rest of the command.
    private static IEnumerable<List<CpuInfo>> Groups(IReadOnlyList<CpuInfo> cpus) =>
        cpus.GroupBy(static cpu => $"{cpu.Package} {cpu.Node}", StringComparer.Ordinal)
            .Select(static group => group.ToList());

    private static int? CoreCount(List<CpuInfo> cpus) => cpus.Exists(static cpu => cpu.Core is null)
        ? null
        : cpus.GroupBy(static cpu => $"{cpu.Core}", StringComparer.Ordinal).Count();

    private static string Numbers(List<CpuInfo> cpus, bool usableOnly)
    {
        List<int> numbers = cpus.FindAll(cpu => cpu.Usable || !usableOnly).ConvertAll(static cpu => cpu.Number);
        return numbers.Count == 0 ? "none" : CpuList.Format(numbers);
    }

    private static void WriteCapabilities(InfoReport report, TerminalWriter writer)
    {
        writer.Line();
        writer.Table(Capabilities, report.Capabilities);
        writer.Line($"default backend: {report.Backend ?? "none"}");
        if ((report.BackendFault ?? report.BackendFallback) is { } why) writer.Line("  " + why);
    }

    // Only Linux has these limits, by these names.
    private static void WriteBuffers(BufferLimits buffers, TerminalWriter writer)
    {
        if (buffers == new BufferLimits(null, null, null, null, null)) return;

        writer.Line();
        writer.Table(Buffers, Limits(buffers));
    }

    private static Limit[] Limits(BufferLimits buffers) =>
    [
        new("largest receive buffer", Bytes(buffers.ReceiveMaximumBytes), "net.core.rmem_max"),
        new("default receive buffer", Bytes(buffers.ReceiveDefaultBytes), "net.core.rmem_default"),
        new("largest send buffer", Bytes(buffers.SendMaximumBytes), "net.core.wmem_max"),
        new("default send buffer", Bytes(buffers.SendDefaultBytes), "net.core.wmem_default"),
        new("packets queued per CPU", Packets(buffers.BacklogPackets), "net.core.netdev_max_backlog"),
    ];

    private static void WriteInterrupts(IReadOnlyList<InfoInterface> interfaces, TerminalWriter writer)
    {
        foreach (InfoInterface network in interfaces)
        {
            if (network.InterruptCpuList.Length > 0 || network.SteeredCpuList.Length > 0)
            {
                string handled = network.InterruptCpuList.Length > 0 ? network.InterruptCpuList : Unknown;
                string steered = network.SteeredCpuList.Length > 0 ? $", RPS to CPUs {network.SteeredCpuList}" : "";
                string node = network.Node is { } known ? $", NUMA node {known}" : "";
                writer.Line($"{network.Name}: interrupts on CPUs {handled}{steered}{node}");
            }
        }
    }

    private static string Bytes(long? bytes) => bytes is { } known ? Units.Bytes(known) : Unknown;

    private static string Packets(long? packets) => packets is { } known ? Units.Count(known) : Unknown;

    private static string Text(int? number) => number?.ToString(CultureInfo.InvariantCulture) ?? Unknown;

    private sealed record Fact(string Name, string Value);

    private sealed record Limit(string Name, string Value, string Sysctl);
}
