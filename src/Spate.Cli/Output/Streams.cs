using Spate.Cli.Terminal;

namespace Spate.Cli.Output;

/// <summary>Where a command writes: results to <see cref="Output"/>, everything else to the other.</summary>
internal sealed class Streams
{
    private const int MaxNoticeLength = 1000;

    public required TextWriter Output { get; init; }

    public required TextWriter Error { get; init; }

    public bool OutputIsTerminal { get; init; }

    public bool ErrorIsTerminal { get; init; }

    /// <summary>What a terminal may be sent.</summary>
    public TerminalStyle Style { get; init; }

    /// <summary>Cancelled when what is written to <see cref="Output"/> no longer arrives.</summary>
    public CancellationToken OutputFailed { get; init; }

    /// <summary>How large the terminal is now; people change it while a run goes on.</summary>
    public Func<TerminalSize> ReadTerminalSize { get; init; } = TerminalSize.Read;

    /// <summary>Results, as people read them.</summary>
    public Page OutputPage => new(Output, OutputIsTerminal ? ReadTerminalSize : null, Style);

    /// <summary>Progress, as people read it.</summary>
    public Page ErrorPage => new(Error, ErrorIsTerminal ? ReadTerminalSize : null, Style);

    /// <summary>Results of a command whose JSON may take all of stdout: then people read them on stderr.</summary>
    public Page PageBeside(JsonOutput? json) => json?.IsStandardOutput == true ? ErrorPage : OutputPage;

    /// <summary>Writes one line beside the results, to stderr.</summary>
    public void Notice(string text) =>
        Error.WriteLine("spate: " + SafeText.Clean(SafeText.OneLine(text), MaxNoticeLength));

    /// <summary>
    /// Runs a command on the process's own streams. They are flushed at every write, so that the reader of a pipe sees
    /// each line at once. When the command has ended, a notice says what could not be written.
    /// </summary>
    /// <param name="command">Runs on the streams and returns its exit code.</param>
    /// <returns>The command's exit code, or that the output could not be written.</returns>
    public static int Use(Func<Streams, int> command)
    {
        // Not Console.Out: creating it sets the terminal up, which costs a tenth of the time `spate info` may take.
        using StandardStream output = StandardStream.OpenOutput();
        using StandardStream error = StandardStream.OpenError();
        var streams = new Streams
        {
            Output = WriterTo(output),
            Error = WriterTo(error),
            OutputFailed = output.Failed,
            OutputIsTerminal = !Console.IsOutputRedirected,
            ErrorIsTerminal = !Console.IsErrorRedirected,
            Style = StyleOf(Environment.GetEnvironmentVariable),
        };
        int exitCode = command(streams);
        if (output.Fault is { } fault && !IsReaderGone(fault))
        {
            streams.Notice($"cannot write to stdout: {fault.Message.TrimEnd('.')}; name a file or a program that takes "
                + "the output");
        }

        bool isComplete = output.Fault is null && error.Fault is null;
        return exitCode == ExitCode.Done && !isComplete ? ExitCode.CouldNotRun : exitCode;
    }

    /// <summary>What the terminal of an environment may be sent.</summary>
    internal static TerminalStyle StyleOf(Func<string, string?> readVariable) =>
        string.Equals(readVariable("TERM"), "dumb", StringComparison.Ordinal) ? TerminalStyle.Dumb
        : string.IsNullOrEmpty(readVariable("NO_COLOR")) ? TerminalStyle.Full : TerminalStyle.NoColor;

    // EPIPE is 32 on Linux and macOS. A reader that leaves early, as head does, has what it wanted.
    private static bool IsReaderGone(Exception fault) => fault is IOException { HResult: 32 };

    private static TextWriter WriterTo(StandardStream stream) => TextWriter.Synchronized(
        new StreamWriter(stream, OutputEncoding.Of(Environment.GetEnvironmentVariable)) { AutoFlush = true });
}
