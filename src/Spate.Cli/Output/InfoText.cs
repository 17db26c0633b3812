using System.Text;

namespace Spate.Cli.Output;

/// <summary>The readable form of <c>spate info</c>: plain everywhere, so that it starts at once.</summary>
internal static class InfoText
{
    private const string Unknown = "unknown";

    public static void Write(InfoReport report, TextWriter output)
    {
        var text = new StringWriter(new StringBuilder(2048));
        WriteSystem(report, text);
        WriteCpus(report.Cpus, text);
        WriteCapabilities(report, text);
        WriteBuffers(report.Buffers, text);
        WriteInterfaces(report.Interfaces, text);
        output.Write(text.ToString());
    }

    private static void WriteSystem(InfoReport report, StringWriter text)
    {
        text.WriteLine($"Spate {report.SpateVersion}");
        text.WriteLine();
        WriteFact(text, "system", $"{report.OperatingSystem} {report.OperatingSystemVersion}".Trim());
        WriteFact(text, "kernel", report.KernelRelease);
        WriteFact(text, "runtime", $"{report.RuntimeVersion}, {report.Architecture}");
        if (report.Container is { } container)
        {
            WriteFact(text, "container", container);
        }
    }

    private static void WriteCpus(InfoCpus cpus, StringWriter text)
    {
        WriteFact(text, "CPUs", $"{cpus.UsableList} usable ({cpus.UsableCount} of {cpus.OnlineCount} online), "
            + (cpus.ModelName ?? "unknown model"));
        if (cpus.QuotaCpus is { } quota)
        {
            WriteFact(text, "CPU quota", $"{quota:0.##} CPUs' worth of time (cgroup cpu.max)");
        }

        InfoTopology.Write(cpus, text);

        text.WriteLine();
        var table = new Table(new("package", true), new("node", true), new("cores", true), new("CPUs"), new("usable"));
        foreach (List<InfoCpu> group in Groups(cpus.All))
        {
            table.Add(
                Text(group[0].Package),
                Text(group[0].Node),
                Text(CoreCount(group)),
                Numbers(group, usableOnly: false),
                Numbers(group, usableOnly: true));
        }

        TableOutput.WritePlain(table, text);
    }

    private static Dictionary<string, List<InfoCpu>>.ValueCollection Groups(IReadOnlyList<InfoCpu> all)
    {
        var groups = new Dictionary<string, List<InfoCpu>>(StringComparer.Ordinal);
        foreach (InfoCpu cpu in all)
        {
            string key = $"{cpu.Package} {cpu.Node}";
            if (!groups.TryGetValue(key, out List<InfoCpu>? group))
            {
                groups.Add(key, group = []);
            }

            group.Add(cpu);
        }

        return groups.Values;
    }

    private static int? CoreCount(List<InfoCpu> group)
    {
        var cores = new List<int>();
        foreach (InfoCpu cpu in group)
        {
            if (cpu.Core is not { } core)
            {
                return null;
            }

            if (!cores.Contains(core))
            {
                cores.Add(core);
            }
        }

        return cores.Count;
    }

    private static string Numbers(List<InfoCpu> group, bool usableOnly)
    {
        var numbers = new List<int>(group.Count);
        foreach (InfoCpu cpu in group)
        {
            if (cpu.Usable || !usableOnly)
            {
                numbers.Add(cpu.Number);
            }
        }

        return numbers.Count == 0 ? "none" : HostTuning.CpuList.Format(numbers);
    }

    private static void WriteCapabilities(InfoReport report, StringWriter text)
    {
        text.WriteLine();
        var table = new Table(new("fast path"), new("here"), new("why"));
        foreach (InfoCapability capability in report.Capabilities)
        {
            table.Add(capability.Name, capability.Available ? "yes" : "no", capability.Reason);
        }

        TableOutput.WritePlain(table, text);
        text.WriteLine($"backend unless named: {report.Backend ?? "none"}");
        if ((report.BackendFault ?? report.BackendFallback) is { } why)
        {
            text.WriteLine($"  {SafeText.Clean(why, maximumLength: 500)}");
        }
    }

    private static void WriteBuffers(InfoBuffers buffers, StringWriter text)
    {
        text.WriteLine();
        var table = new Table(new("buffer limit"), new("value", true), new("sysctl"));
        table.Add("largest receive buffer", Bytes(buffers.ReceiveMaximumBytes), "net.core.rmem_max");
        table.Add("default receive buffer", Bytes(buffers.ReceiveDefaultBytes), "net.core.rmem_default");
        table.Add("largest send buffer", Bytes(buffers.SendMaximumBytes), "net.core.wmem_max");
        table.Add("default send buffer", Bytes(buffers.SendDefaultBytes), "net.core.wmem_default");
        table.Add(
            "packets queued per CPU",
            buffers.BacklogPackets is { } packets ? Units.Count(packets) : Unknown,
            "net.core.netdev_max_backlog");
        TableOutput.WritePlain(table, text);
    }

    private static void WriteInterfaces(IReadOnlyList<InfoInterface> interfaces, StringWriter text)
    {
        text.WriteLine();
        var table = new Table(
            new("interface"), new("state"), new("MTU", true), new("IPv4 payload", true), new("IPv6 payload", true),
            new("addresses"));
        foreach (InfoInterface network in interfaces)
        {
            table.Add(
                network.Name,
                network.IsUp ? "up" : "down",
                Text(network.MtuBytes),
                Text(network.LargestIpv4PayloadBytes),
                Text(network.LargestIpv6PayloadBytes),
                network.Addresses.Count == 0 ? "-" : string.Join(' ', network.Addresses));
        }

        TableOutput.WritePlain(table, text);
        InfoTopology.WriteInterrupts(interfaces, text);
    }

    internal static void WriteFact(StringWriter text, string name, string value) =>
        text.WriteLine($"{name,-11}{SafeText.Clean(value)}");

    private static string Bytes(long? bytes) => bytes is { } known ? Units.Bytes(known) : Unknown;

    private static string Text(int? number) => number?.ToString() ?? Unknown;
}
