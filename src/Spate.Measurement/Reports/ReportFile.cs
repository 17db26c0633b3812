using System.Diagnostics.CodeAnalysis;

namespace Spate.Measurement.Reports;

/// <summary>Reads the figures of reports from files that <c>--json</c> wrote, or that a stranger wrote.</summary>
internal static class ReportFile
{
    /// <summary>256 MiB: the intervals of a day with their CPUs and threads are some 150 MB.</summary>
    public const int MaxBytes = 256 * 1024 * 1024;

    /// <summary>
    /// Without the course of the run. A pipe or a device is refused: it may never end. The error is a part of a
    /// sentence; a file that cannot be opened throws.
    /// </summary>
    public static bool TryRead(
        string path,
        ReportReader reader,
        [NotNullWhen(true)] out Report? report,
        [NotNullWhen(false)] out string? error)
    {
        report = null;
        error = FaultOf(path);
        if (error is not null) return false;

        byte[] content;
        using (FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite))
        {
            content = new byte[Math.Min(file.Length, MaxBytes)];
            file.ReadExactly(content);
        }

        return reader.TryReadFigures(content, out report, out error);
    }

    // Found before the file is opened: open(2) of a named pipe waits until another program writes to it.
    private static string? FaultOf(string path)
    {
        if (path.Length == 0) return "it has no name";

        if (Directory.Exists(path)) return "it is a directory";

        var file = new FileInfo(path);
        if (file.LinkTarget is not null) file = file.ResolveLinkTarget(returnFinalTarget: true) as FileInfo ?? file;
        if (!file.Exists) throw new FileNotFoundException("there is no such file");

        return file.Length switch
        {
            0 => "it is empty, or it is a pipe or a device",
            > MaxBytes => $"it has more than {MaxBytes >> 20} MiB",
            _ => null,
        };
    }
}
