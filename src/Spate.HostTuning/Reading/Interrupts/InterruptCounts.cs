using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interrupts;

/// <summary>How often each interrupt has been handled since the machine was started, on all CPUs together.</summary>
internal static class InterruptCounts
{
    /// <summary>Reads <c>/proc/interrupts</c>, which is long on machines with many CPUs.</summary>
    /// <returns>The counts by the interrupt's number; empty where the system does not tell.</returns>
    public static IReadOnlyDictionary<int, long> Read(string rootPath = "/") =>
        new InterruptTable(new HostFiles(rootPath)).Rows.ToDictionary(
            static row => row.Key, static row => row.Value.Count);
}
