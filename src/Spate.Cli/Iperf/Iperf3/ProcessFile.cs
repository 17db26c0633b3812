using System.Globalization;
using Spate.Cli.Iperf.Iperf3.Text;
using Spate.Cli.Shell;

namespace Spate.Cli.Iperf.Iperf3;

/// <summary>A file with the number of this process, removed at the end.</summary>
internal sealed class ProcessFile : IDisposable
{
    private readonly string _path;

    private ProcessFile(string path) => _path = path;

    public static ProcessFile? Create(string? path)
    {
        if (path is null) return null;

        try
        {
            File.WriteAllText(path, Environment.ProcessId.ToString(CultureInfo.InvariantCulture) + "\n");
            return new ProcessFile(path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw CommandException.Refused(
                $"cannot write to '{path}': {FileFault.ReasonOf(path, fault)}; name another file for -I",
                DocsAnchor.Output,
                fault);
        }
    }

    public void Dispose()
    {
        try
        {
            File.Delete(_path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // Somebody else has removed or taken the file meanwhile. The test is over, and its result stands.
        }
    }
}
