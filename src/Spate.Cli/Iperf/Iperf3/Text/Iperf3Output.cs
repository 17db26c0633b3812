using System.Text;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>Where the output of tests goes: stdout, or the end of a file. Lines of two tests never mix.</summary>
internal sealed class Iperf3Output : IDisposable
{
    private readonly Lock _lock = new();
    private readonly TextWriter _writer;
    private readonly string? _path;
    private Exception? _fault;

    private Iperf3Output(TextWriter writer, string? path)
    {
        _writer = writer;
        _path = path;
    }

    /// <summary>Opens the file to append to; null for stdout.</summary>
    public static Iperf3Output Open(string? path, Streams streams)
    {
        if (path is null) return new Iperf3Output(streams.Output, path: null);

        try
        {
            var file = new FileStream(path, FileMode.Append, FileAccess.Write, FileShare.Read);
            return new Iperf3Output(new StreamWriter(file, new UTF8Encoding(false)) { AutoFlush = true }, path);
        }
        catch (Exception fault) when (IsRefusal(fault))
        {
            throw CannotWrite(path, fault);
        }
    }

    /// <summary>Writes a line, or a document of more than one. Any thread may call.</summary>
    public void WriteLine(string text)
    {
        lock (_lock)
        {
            if (_fault is not null) return;

            try
            {
                _writer.Write(text + "\n");
            }
            catch (Exception fault) when (_path is not null && IsRefusal(fault))
            {
                // A full disk ends no test; the fault is told at the end.
                _fault = fault;
            }
        }
    }

    /// <summary>Closes the file. stdout stays open.</summary>
    public void Dispose()
    {
        if (_path is null) return;

        try
        {
            _writer.Dispose();
        }
        catch (Exception fault) when (IsRefusal(fault))
        {
            _fault ??= fault;
        }
    }

    public void Check()
    {
        lock (_lock)
        {
            if (_fault is not null) throw CannotWrite(_path!, _fault);
        }
    }

    // The type of the exception depends on the errno: EFBIG, a file that is too large, is an ArgumentException.
    private static bool IsRefusal(Exception fault) =>
        fault is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException;

    private static CommandException CannotWrite(string path, Exception fault) => CommandException.Refused(
        $"cannot write to '{path}': {FileFault.ReasonOf(path, fault)}; name another file for --logfile",
        DocsAnchor.Output,
        fault);
}

/// <summary>Says why a file cannot be written, for a line that names the file already.</summary>
internal static class FileFault
{
    public static string ReasonOf(string path, Exception fault)
    {
        string reason = fault.Message.TrimEnd('.');
        string named = $" : '{Path.GetFullPath(path)}'";
        return reason.EndsWith(named, StringComparison.Ordinal) ? reason[..^named.Length] : reason;
    }
}
