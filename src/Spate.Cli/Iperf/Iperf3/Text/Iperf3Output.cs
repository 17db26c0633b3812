using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.HostTuning.Reading;
using Spate.Measurement.Reports;

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
        $"cannot write to '{path}': {FileFault.ReasonOf(path, fault)}; use another file for --logfile",
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

/// <summary>Begins the lines of a test, makes strangers' text safe, and keeps them for a client that asked.</summary>
/// <param name="prefix">What every line begins with besides, to tell tests apart; empty for nothing.</param>
internal sealed class Iperf3Lines(
    Action<string> write, Iperf3OutputOptions options, TimeProvider time, string prefix = "")
{
    // A result that holds the lines must stay below 1 MiB, and each character may take six bytes in it.
    private const int MaxKeptCharacters = 128 * 1024;

    private const int MaxLineLength = 1000;

    private readonly StringBuilder _kept = new();
    private bool _isFull;

    /// <summary>The lines so far; of a long output, the first ones.</summary>
    public string Kept => _kept.ToString();

    public void Add(string line)
    {
        string clean = PrintableText.ForTerminal(line, MaxLineLength);
        string whole = Start() + clean;
        write(whole);
        Keep(clean);
    }

    private string Start()
    {
        string start = options.TimestampFormat is { } format
            ? PrintableText.ForTerminal(TimeText.Write(format, time.GetLocalNow()))
            : "";
        if (options.Title.Length > 0) start += PrintableText.ForTerminal(options.Title) + ":  ";

        return start + prefix;
    }

    private void Keep(string line)
    {
        _isFull |= _kept.Length + line.Length >= MaxKeptCharacters;
        if (!_isFull) _kept.Append(line).Append('\n');
    }
}

/// <summary>Writes a time by a format of strftime(3), in its C locale.</summary>
internal static class TimeText
{
    private const int MaxLength = 512;

    public static string Write(string format, DateTimeOffset time)
    {
        var text = new StringBuilder();
        for (int i = 0; i < format.Length && text.Length < MaxLength; i++)
        {
            if (format[i] != '%' || i + 1 == format.Length) text.Append(format[i]);
            else text.Append(Part(format[++i], time));
        }

        return text.ToString();
    }

    private static string Part(char letter, DateTimeOffset time)
    {
        string? standard = letter switch
        {
            'a' => "ddd",
            'A' => "dddd",
            'b' or 'h' => "MMM",
            'B' => "MMMM",
            'd' => "dd",
            'D' or 'x' => "MM'/'dd'/'yy",
            'F' => "yyyy'-'MM'-'dd",
            'H' => "HH",
            'I' => "hh",
            'm' => "MM",
            'M' => "mm",
            'p' => "tt",
            'r' => "hh':'mm':'ss tt",
            'R' => "HH':'mm",
            'S' => "ss",
            'T' or 'X' => "HH':'mm':'ss",
            'y' => "yy",
            'Y' => "yyyy",
            _ => null,
        };
        CultureInfo culture = CultureInfo.InvariantCulture;
        if (standard is not null) return time.ToString(standard, culture);

        return letter switch
        {
            'c' => string.Create(culture, $"{time:ddd MMM} {time.Day,2} {time:HH':'mm':'ss yyyy}"),
            'e' => string.Create(culture, $"{time.Day,2}"),
            'j' => string.Create(culture, $"{time.DayOfYear:000}"),
            'k' => string.Create(culture, $"{time.Hour,2}"),
            's' => time.ToUnixTimeSeconds().ToString(culture),
            'u' => (time.DayOfWeek == DayOfWeek.Sunday ? 7 : (int)time.DayOfWeek).ToString(culture),
            'w' => ((int)time.DayOfWeek).ToString(culture),
            'z' => time.ToString("zzz", culture).Replace(":", "", StringComparison.Ordinal),
            'Z' => time.Offset == TimeSpan.Zero ? "GMT" : time.ToString("zzz", culture),
            'n' => " ",
            't' => "\t",
            '%' => "%",
            _ => $"%{letter}",
        };
    }
}

internal static class SystemText
{
    /// <summary>The host, in the order of uname(1).</summary>
    public static string Line { get; } = Read();

    private static string Read()
    {
        string[] kernel = HostFacts.ReadKernel().Split(' ', 2);
        string machine = RuntimeInformation.OSArchitecture switch
        {
            Architecture.X64 => "x86_64",
            Architecture.Arm64 => "aarch64",
            Architecture other => other.ToString(),
        };
        return string.Join(' ', [kernel[0], Environment.MachineName, .. kernel[1..], machine]);
    }
}
