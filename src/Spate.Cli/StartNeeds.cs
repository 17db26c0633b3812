using System.Globalization;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Spate.Cli;

/// <summary>
/// Refuses to start with too few descriptors or too little memory: the runtime would fail at any place, and may end
/// with a stack trace. This class uses no console and no further assembly, which need descriptors and memory too.
/// </summary>
internal static class StartNeeds
{
    /// <summary>The runtime keeps two open for each assembly, some 80 in all, and a run opens its own.</summary>
    private const int OpenFiles = 128;

    /// <summary>Every command can start with this heap. A bench may need more, and says so.</summary>
    private const int HeapMebibytes = 32;

    private const int BytesPerMebibyte = 1024 * 1024;

    /// <summary>False after one line on stderr.</summary>
    public static bool AreMet()
    {
        if ((FaultOfFiles() ?? FaultOfHeap()) is not { } fault) return true;

        Tell($"spate: {fault}\n");
        return false;
    }

    private static string? FaultOfFiles()
    {
        const string name = "Max open files";
        try
        {
            // "Max open files   1024   524288   files": what is in force, then what it may be raised to (proc.5).
            foreach (string line in OperatingSystem.IsLinux() ? File.ReadLines("/proc/self/limits") : [])
            {
                if (!line.StartsWith(name, StringComparison.Ordinal)) continue;

                string[] fields = line[name.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries);
                return int.TryParse(fields[0], CultureInfo.InvariantCulture, out int allowed) && allowed < OpenFiles
                    ? $"{allowed} files may be open and {OpenFiles} are needed: raise the limit, with 'ulimit -n 1024' "
                        + "in the shell or LimitNOFILE=1024 in the systemd unit"
                    : null;
            }
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // Where the limit cannot be read, the run itself meets it.
        }

        return null;
    }

    private static string? FaultOfHeap()
    {
        long allowed = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / BytesPerMebibyte;
        return allowed is > 0 and < HeapMebibytes
            ? $"the heap may have {allowed} MiB and {HeapMebibytes} are needed: raise DOTNET_GCHeapHardLimit or the "
                + "memory limit of the container"
            : null;
    }

    private static void Tell(string line)
    {
        const int standardError = 2;
        try
        {
            using Stream error = OperatingSystem.IsWindows()
                ? Console.OpenStandardError()
                : new FileStream(new SafeFileHandle(standardError, ownsHandle: false), FileAccess.Write, bufferSize: 0);
            error.Write(Encoding.UTF8.GetBytes(line));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            // Nobody can read stderr. The exit code still tells the refusal.
        }
    }
}
