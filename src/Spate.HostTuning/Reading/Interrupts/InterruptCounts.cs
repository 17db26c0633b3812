using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interrupts;

/// <summary>How often each interrupt was handled since the start, on all CPUs together.</summary>
internal static class InterruptCounts
{
    /// <summary>By the interrupt's number. <c>/proc/interrupts</c> is long on machines with many CPUs.</summary>
    public static IReadOnlyDictionary<int, long> Read(string rootPath = "/") =>
        new InterruptTable(new HostFiles(rootPath)).Rows.ToDictionary(
            static row => row.Key, static row => row.Value.Count);
}
