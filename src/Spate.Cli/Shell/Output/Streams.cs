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
                $"cannot write to stdout: {fault.Message.TrimEnd('.')}; name a file or a program that takes the output",
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
