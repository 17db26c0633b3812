using System.Text;

namespace Spate.Cli.Output;

/// <summary>The lines of <c>spate info</c> that tell what <c>--cpu auto</c> goes by.</summary>
internal static class InfoTopology
{
    // One a package or chiplet: the text names the first few, --json all.
    private const int MaximumCaches = 4;

    public static void Write(InfoCpus cpus, StringWriter text)
    {
        if (cpus.CoreCount is not { } coreCount)
        {
            InfoText.WriteFact(text, "cores", "unknown");
            return;
        }

        (int threads, int rest) = Math.DivRem(cpus.OnlineCount, coreCount);
        InfoText.WriteFact(text, "cores", rest != 0 ? $"{coreCount} for {cpus.OnlineCount} CPUs"
            : threads == 1 ? $"{coreCount}, one thread each" : $"{coreCount}, {threads} threads each");
        if (cpus.LastLevelCaches.Count > 0)
        {
            InfoText.WriteFact(text, "caches", Describe(cpus.LastLevelCaches));
        }
    }

    public static void WriteInterrupts(IReadOnlyList<InfoInterface> interfaces, StringWriter text)
    {
        foreach (InfoInterface network in interfaces)
        {
            if (network.InterruptCpuList.Length > 0 || network.SteeredCpuList.Length > 0)
            {
                string handled = network.InterruptCpuList.Length > 0 ? network.InterruptCpuList : "unknown";
                string steered = network.SteeredCpuList.Length > 0 ? $", RPS to CPUs {network.SteeredCpuList}" : "";
                string node = network.Node is { } known ? $", NUMA node {known}" : "";
                text.WriteLine(SafeText.Clean($"{network.Name}: interrupts on CPUs {handled}{steered}{node}"));
            }
        }
    }

    private static string Describe(IReadOnlyList<InfoCache> caches)
    {
        var line = new StringBuilder();
        for (int i = 0; i < caches.Count && i < MaximumCaches; i++)
        {
            InfoCache cache = caches[i];
            string size = cache.SizeBytes is { } bytes ? $" {Units.Bytes(bytes)}" : "";
            line.Append(i == 0 ? "" : "; ").Append($"L{cache.Level}{size} shared by {cache.CpuList}");
        }

        return caches.Count > MaximumCaches ? $"{line}; and {caches.Count - MaximumCaches} more" : line.ToString();
    }
}
