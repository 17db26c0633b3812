using System.Globalization;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Spate.Cli.Shell;

namespace Spate.Cli;

/// <summary>
/// Refuses to start with too few descriptors or too little memory, with which the runtime may fail anywhere and end
/// with a stack trace.
/// The class reads /proc without Spate.HostTuning and writes without the console: a further assembly and the console
/// need descriptors and memory themselves.
/// </summary>
internal static class StartupChecks
{
    /// <summary>The runtime keeps two files open for each assembly, some 80 in all, and a run opens its own.</summary>
    private const int MinOpenFiles = 128;

    /// <summary>Every command can start with this heap. A bench that needs more says so.</summary>
    private const int MinHeapMebibytes = 32;

    private const int BytesPerMebibyte = 1024 * 1024;
    private const int StandardError = 2;
    private const string LimitName = "Max open files";

    /// <summary>Whether there is enough of both. If not, one line on stderr says so.</summary>
    public static bool AreMet()
    {
        if ((FaultOfFiles() ?? FaultOfHeap()) is not { } fault) return true;

        Tell($"spate: {fault} ({DocsAnchor.Descriptors})\n");
        return false;
    }

    private static string? FaultOfFiles()
    {
        try
        {
            // "Max open files   1024   524288   files": the soft limit, then the hard limit (proc_pid_limits(5)).
            foreach (string line in OperatingSystem.IsLinux() ? File.ReadLines("/proc/self/limits") : [])
            {
                if (!line.StartsWith(LimitName, StringComparison.Ordinal)) continue;

                string[] fields = line[LimitName.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries);
                return int.TryParse(fields[0], CultureInfo.InvariantCulture, out int allowed) && allowed < MinOpenFiles
                    ? $"the limit of open files is {allowed}, below {MinOpenFiles}: raise it with "
                        + "'ulimit -n 1024' in the shell or LimitNOFILE=1024 in the systemd unit"
                    : null;
            }
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // The limit cannot be read. A run that exceeds it reports that itself.
        }

        return null;
    }

    private static string? FaultOfHeap()
    {
        long allowed = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / BytesPerMebibyte;
        return allowed is > 0 and < MinHeapMebibytes
            ? $"the heap limit is {allowed} MiB, below {MinHeapMebibytes}: raise DOTNET_GCHeapHardLimit or the "
                + "memory limit of the container"
            : null;
    }

    private static void Tell(string line)
    {
        try
        {
            using Stream error = OperatingSystem.IsWindows()
                ? Console.OpenStandardError()
                : new FileStream(new SafeFileHandle(StandardError, ownsHandle: false), FileAccess.Write, bufferSize: 0);
            error.Write(Encoding.UTF8.GetBytes(line));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            // stderr cannot be written to. The exit code still shows the refusal.
        }
    }
}
