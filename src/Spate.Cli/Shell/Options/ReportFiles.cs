using Spate.Measurement.Reports;

namespace Spate.Cli.Shell.Options;

/// <summary>Reads the reports that a command line names.</summary>
internal static class ReportFiles
{
    /// <summary>Reads the figures of a report. A path that holds none is refused in one line that names it.</summary>
    public static Report Read(string path, ReportReader reader)
    {
        try
        {
            return ReportFile.TryRead(path, reader, out Report? report, out string? error)
                ? report
                : throw CommandException.WrongUse(
                    $"'{path}' is not a report: {error}; expected a file that --json FILE wrote");
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw CommandException.Refused(
                $"cannot read the report '{path}': {ReasonOf(fault)}", DocsAnchor.None, fault);
        }
    }

    // The messages of the other types are written for programmers, or name the path a second time.
    private static string ReasonOf(Exception fault) => fault switch
    {
        FileNotFoundException or DirectoryNotFoundException => "there is no such file",
        UnauthorizedAccessException => "this user may not read it",
        EndOfStreamException => "another program shortened it meanwhile",
        PathTooLongException => "its name is too long",
        _ => fault.Message.TrimEnd('.'),
    };
}
