using System.Text;
using Spate.Measurement.Reports;
using Spate.Measurement.Reports.Conditions;

namespace Spate.Cli.Shell.Output;

/// <summary>The end of every command that has a report: JSON is written, conditions are judged.</summary>
internal sealed class ReportOutput : IDisposable
{
    private readonly ReportOptions _request;
    private readonly Streams _streams;
    private readonly JsonOutput? _json;

    private readonly bool _isSeries;

    private ReportOutput(ReportOptions request, Streams streams, bool isSeries)
    {
        _request = request;
        _streams = streams;
        _isSeries = isSeries;
        _json = JsonOutput.Open(request.JsonPath, streams);
    }

    public bool TakesStandardOutput => _json?.IsStandardOutput == true;

    /// <summary>
    /// Checks before the run that the JSON can be written. Call it before a <see cref="StopSignal"/> takes the signals:
    /// it waits for the reader of a named pipe, and Ctrl-C must end that.
    /// </summary>
    /// <param name="isSeries">Whether reports of parts come ahead: then each report is one line of JSON.</param>
    public static ReportOutput Open(ReportOptions request, Streams streams, bool isSeries = false) =>
        new(request, streams, isSeries);

    /// <summary>Writes the JSON of a part of the run as one line, at once. No condition is judged.</summary>
    public void Add(Report part) => _json?.Add(ReportJson.Serialize(part, indented: false));

    /// <summary>Writes the JSON, then a line on stderr for each condition with which the check fails.</summary>
    /// <param name="exitCode">The exit code of the command but for the conditions.</param>
    /// <returns><see cref="ExitCode.CheckFailed"/> if the check of a run that is otherwise done failed.</returns>
    public int Finish(Report report, int exitCode = ExitCode.Done)
    {
        _json?.Write(ReportJson.Serialize(report, indented: !_isSeries));
        IReadOnlyList<string> failures = ReportCondition.Judge(_request.Conditions, report);
        foreach (string failure in failures)
        {
            _streams.Notice($"check failed: {failure}");
        }

        return failures.Count > 0 && exitCode == ExitCode.Done ? ExitCode.CheckFailed : exitCode;
    }

    public void Dispose() => _json?.Dispose();
}

/// <summary>What a command is to do with its report besides the text for people.</summary>
/// <param name="JsonPath">A file, <c>-</c> for stdout, or null for no JSON.</param>
internal sealed record ReportOptions(
    string? JsonPath, IReadOnlyList<ReportCondition> Conditions, bool ShowsAllCores = false);

/// <summary>
/// The target of <c>--json</c>. A path that cannot be written is refused before the run. The report is written to a
/// file beside the target and then renamed, so that the target never holds half a report.
/// </summary>
internal sealed class JsonOutput : IDisposable
{
    private const string BesidePrefix = ".spate-";

    // What opens in this time needs no word.
    private static readonly TimeSpan NoticeTime = TimeSpan.FromMilliseconds(300);

    private readonly Streams _streams;
    private readonly string? _path;
    private readonly FileStream? _device;
    private FileStream? _beside;

    private JsonOutput(Streams streams, string? path, FileStream? device)
    {
        _streams = streams;
        _path = path;
        _device = device;
    }

    /// <summary>Whether the JSON is written to stdout, which then holds nothing else.</summary>
    public bool IsStandardOutput => _path is null;

    public static JsonOutput? Open(string? path, Streams streams)
    {
        if (path is null) return null;

        if (path.Length == 0) throw CommandException.WrongUse("--json has no file: expected a file, or - for stdout");

        if (path.Equals("-", StringComparison.Ordinal)) return new JsonOutput(streams, path: null, device: null);

        try
        {
            string target = TargetOf(path);
            FileStream? device = OpenDevice(target, streams);
            if (device is null) RequireFolder(target);

            return new JsonOutput(streams, target, device);
        }
        catch (Exception fault) when (IsRefusal(fault))
        {
            throw CannotWrite(path, fault);
        }
    }

    /// <summary>Writes a line of JSON ahead of the report. A file shows it when the report is written too.</summary>
    public void Add(string line) => Write(line, isLast: false);

    /// <summary>Writes the report. Call it once.</summary>
    public void Write(string json) => Write(json, isLast: true);

    public void Dispose()
    {
        _device?.Dispose();
        Discard();
    }

    private void Write(string json, bool isLast)
    {
        if (_path is null)
        {
            _streams.Output.WriteLine(json);
            return;
        }

        try
        {
            byte[] document = Encoding.UTF8.GetBytes(json + "\n");
            if (_device is not null)
            {
                _device.Write(document);
                return;
            }

            _beside ??= CreateBeside(_path, FileOptions.None);
            _beside.Write(document);
            if (isLast) MoveTo(_path, _beside);
        }
        catch (Exception fault) when (IsRefusal(fault))
        {
            throw CannotWrite(_path, fault);
        }
    }

    // Without the report that ends them, the lines are a part of a document.
    private void Discard()
    {
        if (_beside is null) return;

        _beside.Dispose();
        File.Delete(_beside.Name);
        _beside = null;
    }

    /// <summary>The file that a link points to. The file is replaced, and the link stays.</summary>
    private static string TargetOf(string path)
    {
        string full = Path.GetFullPath(path);
        return IsOfTheSystem(full) || new FileInfo(full).LinkTarget is null
            ? full
            : File.ResolveLinkTarget(full, returnFinalTarget: true)!.FullName;
    }

    // A link there may point to a descriptor of this process, as /dev/stdout does, which cannot be replaced.
    private static bool IsOfTheSystem(string path) =>
        path.StartsWith("/dev/", StringComparison.Ordinal) || path.StartsWith("/proc/", StringComparison.Ordinal)
        || IsDeviceOfWindows(path);

    private static bool IsDeviceOfWindows(string path) => OperatingSystem.IsWindows() && IsNullOrPipe(path);

    /// <summary>
    /// Whether a full path of Windows is the one of NUL or of a pipe. Others of that form may be files, as
    /// <c>\\.\C:\report.json</c>, or disks, which no report may overwrite.
    /// </summary>
    internal static bool IsNullOrPipe(string path) =>
        path.Equals(@"\\.\NUL", StringComparison.OrdinalIgnoreCase)
        || path.StartsWith(@"\\.\pipe\", StringComparison.OrdinalIgnoreCase);

    /// <summary>
    /// Opens a target that cannot be replaced, since it is not a file on a disk: a pipe, a device, or a descriptor of
    /// the process (<c>/dev/stdout</c>). Returns null where the target can be replaced.
    /// </summary>
    private static FileStream? OpenDevice(string target, Streams streams)
    {
        if (Directory.Exists(target)) throw new IOException("it is a directory");

        if (!File.Exists(target) && !IsDeviceOfWindows(target)) return null;

        FileStream file = OpenToWrite(target, streams);
        if (!file.CanSeek || IsOfTheSystem(target)) return file;

        file.Dispose();
        return null;
    }

    // The system opens a named pipe when a reader has opened it too (fifo(7)), so the user is told of the wait.
    private static FileStream OpenToWrite(string target, Streams streams)
    {
        Task<FileStream> opening = Task.Run(
            () => new FileStream(target, FileMode.Open, FileAccess.Write, FileShare.Read, bufferSize: 0));
        if (Task.WaitAny([opening], NoticeTime) < 0)
        {
            streams.Notice($"waiting for a program that reads the report from '{target}'; Ctrl-C ends this");
        }

        return opening.GetAwaiter().GetResult();
    }

    private static void RequireFolder(string target)
    {
        // Null for a device of Windows, such as \\.\CON.
        string folder = Path.GetDirectoryName(target) ?? throw new IOException("it is a device");
        if (!Directory.Exists(folder))
        {
            // The system's message would name the file beside the target, which the user does not know.
            throw new IOException($"the directory '{folder}' does not exist");
        }

        CreateBeside(target, FileOptions.DeleteOnClose).Dispose();
    }

    private static FileStream CreateBeside(string target, FileOptions options) => new(
        Path.Combine(Path.GetDirectoryName(target)!, BesidePrefix + Path.GetRandomFileName()),
        FileMode.CreateNew,
        FileAccess.Write,
        FileShare.None,
        bufferSize: 0,
        options);

    private void MoveTo(string target, FileStream beside)
    {
        beside.Flush(flushToDisk: true);
        if (!OperatingSystem.IsWindows() && File.Exists(target))
        {
            File.SetUnixFileMode(beside.SafeFileHandle, File.GetUnixFileMode(target));
        }

        beside.Dispose();
        File.Move(beside.Name, target, overwrite: true);
        _beside = null;
    }

    // The type of the exception depends on the errno: EFBIG, a file that is too large, is an ArgumentException.
    private static bool IsRefusal(Exception fault) =>
        fault is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException;

    // The system names the file beside the target, which the user does not know.
    internal static string MessageOf(string path, Exception fault)
    {
        string message = fault.Message.TrimEnd('.');
        int at = message.IndexOf(BesidePrefix, StringComparison.Ordinal);
        int end = at + BesidePrefix.Length + Path.GetRandomFileName().Length;
        return at < 0 || end > message.Length ? message : message[..at] + Path.GetFileName(path) + message[end..];
    }

    private static CommandException CannotWrite(string path, Exception fault) => CommandException.Refused(
        $"cannot write the report to '{path}': {MessageOf(path, fault)}; use another file, or - for stdout",
        DocsAnchor.Output,
        fault);
}
