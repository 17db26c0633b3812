using System.Globalization;

namespace Spate.HostTuning;

/// <summary>How many interrupts the whole machine has handled.</summary>
public static class InterruptCounts
{
    /// <summary>
    /// Reads the total since boot from the line <c>intr</c> of <c>/proc/stat</c>. It counts all devices, and on most
    /// architectures also timers and calls between CPUs (proc_stat(5)); two readings give a rate.
    /// </summary>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    /// <returns>The total; null where the system does not tell (other systems than Linux).</returns>
    public static long? Read(string rootPath = "/")
    {
        const string Field = "intr ";
        foreach (string line in new HostFiles(rootPath).ReadLines("proc/stat"))
        {
            if (line.StartsWith(Field, StringComparison.Ordinal))
            {
                ReadOnlySpan<char> rest = line.AsSpan(Field.Length).TrimStart();
                int end = rest.IndexOf(' ');
                return long.TryParse(
                    end < 0 ? rest : rest[..end], NumberStyles.None, CultureInfo.InvariantCulture, out long total)
                        ? total
                        : null;
            }
        }

        return null;
    }
}
