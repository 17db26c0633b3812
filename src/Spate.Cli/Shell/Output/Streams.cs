using System.Globalization;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Reports;

namespace Spate.Cli.Shell.Output;

/// <summary>
/// Process resources of a command: output streams, stop signal, terminal and clock. Results go to <see cref="Output"/>,
/// all other text to <see cref="Error"/>. A caller within the process gives its own.
/// </summary>
internal sealed class Streams
{
    public const string NoColorOption = "--no-color";

    private const int MaxNoticeLength = 1000;

    public required TextWriter Output { get; init; }

    public required TextWriter Error { get; init; }

    public bool OutputIsTerminal { get; init; }

    public bool ErrorIsTerminal { get; init; }

    public TerminalStyle Style { get; init; }

    /// <summary>Cancelled when a write to <see cref="Output"/> has failed.</summary>
    public CancellationToken OutputFailed { get; init; }

    /// <summary>Ends the run with its summary; if null, the signals of the process do.</summary>
    public CancellationToken? StopRequested { get; init; }

    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Reads the size of the terminal, which the user may change during a run.</summary>
    public Func<TerminalSize> ReadTerminalSize { get; init; } = TerminalSize.Read;

    public TerminalWriter OutputPage => new(Output, OutputIsTerminal ? ReadTerminalSize : null, Style);

    public TerminalWriter ErrorPage => new(Error, ErrorIsTerminal ? ReadTerminalSize : null, Style);

    /// <summary>The page for results beside JSON: stderr where the JSON takes stdout.</summary>
    public TerminalWriter PageBeside(ReportOutput report) => report.TakesStandardOutput ? ErrorPage : OutputPage;

    public void Notice(string text) =>
        Error.WriteLine("spate: " + PrintableText.ForTerminal(PrintableText.JoinLines(text), MaxNoticeLength));

    /// <summary>Writes one line to stderr about what somebody can mend, with where to read more at its end.</summary>
    public void Warn(string text, string anchor) => Notice(DocsAnchor.Append(text, anchor));

    /// <summary>
    /// Runs a command on the streams of the process. They are flushed at every write, so that the reader of a pipe sees
    /// each line at once. After the command, a notice says what could not be written.
    /// </summary>
    public static int Use(IReadOnlyList<string> args, Func<Streams, int> command)
    {
        // Console.Out is not used: creating it sets the terminal up, which takes a tenth of the time of `spate info`.
        using StandardStream output = StandardStream.OpenOutput();
        using StandardStream error = StandardStream.OpenError();
        var streams = new Streams
        {
            Output = WriterTo(output),
            Error = WriterTo(error),
            OutputFailed = output.Failed,
            OutputIsTerminal = !Console.IsOutputRedirected,
            ErrorIsTerminal = !Console.IsErrorRedirected,
            Style = StyleOf(args, Environment.GetEnvironmentVariable),
        };
        int exitCode = command(streams);
        if (output.Fault is { } fault && !IsReaderGone(fault))
        {
            streams.Warn(
                $"cannot write to stdout: {fault.Message.TrimEnd('.')}; use a file or a program that reads the output",
                DocsAnchor.Output);
        }

        bool isComplete = output.Fault is null && error.Fault is null;
        return exitCode == ExitCode.Done && !isComplete ? ExitCode.CouldNotRun : exitCode;
    }

    /// <summary>
    /// The escape sequences that the terminal may be sent. Faults of the command line are shown in this style too, so
    /// the option is looked for before the command line is parsed.
    /// </summary>
    internal static TerminalStyle StyleOf(IEnumerable<string> args, Func<string, string?> readVariable) =>
        string.Equals(readVariable("TERM"), "dumb", StringComparison.Ordinal) ? TerminalStyle.Dumb
        : string.IsNullOrEmpty(readVariable("NO_COLOR")) && !HasNoColor(args) ? TerminalStyle.Full
        : TerminalStyle.NoColor;

    // What stands behind "--" is no option.
    private static bool HasNoColor(IEnumerable<string> args) =>
        args.TakeWhile(static arg => arg is not "--").Contains(NoColorOption, StringComparer.Ordinal);

    // EPIPE is 32 on Linux and macOS. A reader that closes the pipe early, as head does, has read enough.
    private static bool IsReaderGone(Exception fault) => fault is IOException { HResult: 32 };

    private static TextWriter WriterTo(StandardStream stream) => TextWriter.Synchronized(
        new StreamWriter(stream, OutputEncoding.Of(Environment.GetEnvironmentVariable)) { AutoFlush = true });
}

/// <summary>
/// stdout or stderr. A write that fails does not throw: the stream keeps the first fault and ignores later writes. The
/// command can thus end as usual and write its report to a file before the user reads of the fault.
/// </summary>
internal sealed class StandardStream : Stream
{
    // Flags of Linux (fcntl.h) in /proc/self/fdinfo.
    private const int NonBlocking = 0x800;
    private const int CloseOnExec = 0x8_0000;

    private readonly CancellationTokenSource _failed = new();
    private readonly Stream? _stream;

    /// <summary>Opens the stream; a fault of opening is kept like a fault of writing.</summary>
    public StandardStream(Func<Stream> open)
    {
        try
        {
            _stream = open();
        }
        catch (Exception fault)
        {
            Keep(fault);
        }
    }

    public Exception? Fault { get; private set; }

    public CancellationToken Failed => _failed.Token;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public static StandardStream OpenOutput() => new(static () => Open(1, Console.OpenStandardOutput));

    public static StandardStream OpenError() => new(static () => Open(2, Console.OpenStandardError));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (Fault is not null) return;

        try
        {
            _stream!.Write(buffer);
        }
        catch (Exception fault)
        {
            // The type of the exception depends on the errno: EBADF is not an IOException.
            Keep(fault);
        }
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _stream?.Dispose();
            _failed.Dispose();
        }

        base.Dispose(disposing);
    }

    private static Stream Open(int descriptor, Func<Stream> openConsole)
    {
        if (OperatingSystem.IsWindows()) return openConsole();

        int flags = ReadFlags(descriptor);
        if ((flags & CloseOnExec) != 0)
        {
            // The tool was started with this descriptor closed. The runtime has opened a file of its own under the free
            // number, with this flag, and that file must not be written to.
            throw new IOException("it is closed");
        }

        // A FileStream reports EPIPE, which a pipe without a reader gives. The stream of the console hides EPIPE, so a
        // run would go on for nothing. A FileStream cannot write to a file that stdout and stderr share, since it keeps
        // a position of its own, nor to a descriptor that does not block.
        var file = new FileStream(
            new SafeFileHandle(descriptor, ownsHandle: false), FileAccess.Write, bufferSize: 0);
        return file.CanSeek || (flags & NonBlocking) != 0 ? openConsole() : file;
    }

    // 0 where the system does not tell, as on macOS. There, the first write reports a closed descriptor. The file is
    // read without Spate.HostTuning: every command opens its streams, and loading the assembly would delay its start.
    private static int ReadFlags(int descriptor)
    {
        string path = string.Create(CultureInfo.InvariantCulture, $"/proc/self/fdinfo/{descriptor}");
        string? line = File.Exists(path)
            ? Array.Find(File.ReadAllLines(path), static line => line.StartsWith("flags:", StringComparison.Ordinal))
            : null;
        return line is null ? 0 : Convert.ToInt32(line["flags:".Length..].Trim(), fromBase: 8);
    }

    private void Keep(Exception fault)
    {
        Fault = fault;
        _failed.Cancel();
    }
}

/// <summary>
/// Chooses the encoding of stdout and stderr: UTF-8, or ASCII where the user's locale has another encoding, as with
/// <c>LC_ALL=C</c>. All text is encoded here, so that no other code asks for the locale.
/// </summary>
internal static class OutputEncoding
{
    // In the order of precedence of POSIX for the category LC_CTYPE.
    private static readonly string[] Variables = ["LC_ALL", "LC_CTYPE", "LANG"];

    /// <summary>
    /// The encoding for an environment. Without any of the variables it is UTF-8: containers, services and sessions
    /// over ssh often start without a locale, and the terminals that show their output know UTF-8.
    /// </summary>
    public static Encoding Of(Func<string, string?> readVariable)
    {
        string? locale = Variables.Select(readVariable).FirstOrDefault(static text => !string.IsNullOrEmpty(text));
        bool isUtf8 = locale is null
            || locale.Contains("UTF-8", StringComparison.OrdinalIgnoreCase)
            || locale.Contains("UTF8", StringComparison.OrdinalIgnoreCase);
        return isUtf8
            ? new UTF8Encoding(encoderShouldEmitUTF8Identifier: false)
            : Encoding.GetEncoding("us-ascii", new AsciiFallback(), DecoderFallback.ReplacementFallback);
    }

    private static string Replace(Rune rune) => rune.Value switch
    {
        0x2013 or 0x2014 => "-",
        0x2588 => "#", // bars
        0xb5 or 0x3bc => "u", // micro
        0x2026 => "...",
        0x2018 or 0x2019 => "'",
        _ => PrintableText.Escape(rune),
    };

    private sealed class AsciiFallback : EncoderFallback
    {
        public override int MaxCharCount => @"\u10ffff".Length;

        public override EncoderFallbackBuffer CreateFallbackBuffer() => new AsciiFallbackBuffer();
    }

    private sealed class AsciiFallbackBuffer : EncoderFallbackBuffer
    {
        private string _text = "";
        private int _position;

        public override int Remaining => _text.Length - _position;

        public override bool Fallback(char charUnknown, int index) => Begin(
            Rune.TryCreate(charUnknown, out Rune rune) ? rune : Rune.ReplacementChar);

        public override bool Fallback(char charUnknownHigh, char charUnknownLow, int index) =>
            Begin(new Rune(charUnknownHigh, charUnknownLow));

        public override char GetNextChar() => Remaining > 0 ? _text[_position++] : '\0';

        public override bool MovePrevious()
        {
            if (_position == 0) return false;
            _position--;
            return true;
        }

        public override void Reset() => Begin(text: "");

        private bool Begin(Rune rune) => Begin(Replace(rune));

        private bool Begin(string text)
        {
            (_text, _position) = (text, 0);
            return text.Length > 0;
        }
    }
}
