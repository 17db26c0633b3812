using Spate.Measurement.Reports;

namespace Spate.Cli.Options;

/// <summary>Reads reports that <c>--json</c> wrote.</summary>
internal static class ReportFiles
{
    // A day of intervals with their CPUs and threads is some 150 MB.
    private const int MaxBytes = 256 * 1024 * 1024;

    /// <summary>Reads a report. A path that holds none is refused.</summary>
    public static Report Read(string path)
    {
        byte[] content;
        try
        {
            using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            if (!file.CanSeek || file.Length > MaxBytes)
            {
                throw CommandException.Refused(
                    $"'{path}' is not a report: expected a file of {MaxBytes >> 20} MiB at most");
            }

            content = new byte[file.Length];
            file.ReadExactly(content);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw CommandException.Refused($"cannot read the report '{path}': {fault.Message.TrimEnd('.')}", fault);
        }

        return ReportJson.TryRead(content, out Report? report, out string? error)
            ? report
            : throw CommandException.Refused($"'{path}' is not a report that --json wrote: {error.TrimEnd('.')}");
    }
}
