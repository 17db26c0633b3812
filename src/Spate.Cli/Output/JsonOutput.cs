using System.Text;

namespace Spate.Cli.Output;

/// <summary>
/// Where <c>--json</c> goes. A file is opened before the run, so that a path that cannot be written is refused at
/// once and not after a minute of measuring; it is emptied only when there is a report to put there.
/// </summary>
internal sealed class JsonOutput : IDisposable
{
    private readonly Streams _streams;
    private readonly FileStream? _file;
    private readonly bool _isNewFile;
    private bool _isWritten;

    private JsonOutput(Streams streams, FileStream? file, bool isNewFile)
    {
        _streams = streams;
        _file = file;
        _isNewFile = isNewFile;
    }

    /// <summary>Whether stdout belongs to the JSON alone.</summary>
    public bool IsStandardOutput => _file is null;

    /// <param name="path">A file, <c>-</c> for stdout, or null for no JSON.</param>
    /// <param name="streams">The command's streams.</param>
    public static JsonOutput? Open(string? path, Streams streams)
    {
        if (path is null)
        {
            return null;
        }

        if (path.Length == 0)
        {
            throw CommandException.WrongUse("--json names no file: expected a file, or - for stdout");
        }

        if (path.Equals("-", StringComparison.Ordinal))
        {
            return new JsonOutput(streams, file: null, isNewFile: false);
        }

        try
        {
            bool isNewFile = !File.Exists(path);
            var file = new FileStream(path, FileMode.OpenOrCreate, FileAccess.Write);
            return new JsonOutput(streams, file, isNewFile);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            throw CannotWrite(path, fault);
        }
    }

    /// <summary>Writes the report; to be called once.</summary>
    /// <param name="json">The whole document.</param>
    public void Write(string json)
    {
        if (_file is null)
        {
            _streams.Output.WriteLine(json);
            return;
        }

        try
        {
            if (_file.CanSeek)
            {
                _file.SetLength(0);
            }

            _file.Write(Encoding.UTF8.GetBytes(json + "\n"));
            _file.Flush();
            _isWritten = true;
        }
        catch (IOException fault)
        {
            throw CannotWrite(_file.Name, fault);
        }
    }

    /// <summary>Closes the file; one that was made here and got no report is taken away again.</summary>
    public void Dispose()
    {
        _file?.Dispose();
        if (_file is not null && _isNewFile && !_isWritten)
        {
            File.Delete(_file.Name);
        }
    }

    private static CommandException CannotWrite(string path, Exception fault) => CommandException.Refused(
        $"cannot write the report to '{path}': {fault.Message.TrimEnd('.')}; name another file, or - for stdout",
        fault);
}
