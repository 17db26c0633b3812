using System.Text;
using Spate.Cli.Output;

namespace Spate.Cli;

/// <summary>Where a command writes: results to <see cref="Output"/>, everything else to the other.</summary>
internal sealed class Streams
{
    public required TextWriter Output { get; init; }

    public required TextWriter Error { get; init; }

    public bool OutputIsTerminal { get; init; }

    public bool ErrorIsTerminal { get; init; }

    /// <summary>How large the terminal is now; people change it while a run goes on.</summary>
    public Func<TerminalSize> ReadTerminalSize { get; init; } = TerminalSize.Read;

    /// <summary>The process's own streams, flushed at every write: who reads a pipe sees lines at once.</summary>
    public static Streams OfProcess()
    {
        // Not Console.Out: creating it sets the terminal up, which costs a tenth of the time `spate info` may take.
        bool dumb = string.Equals(Environment.GetEnvironmentVariable("TERM"), "dumb", StringComparison.Ordinal);
        return new Streams
        {
            Output = Open(Console.OpenStandardOutput()),
            Error = Open(Console.OpenStandardError()),
            OutputIsTerminal = !dumb && !Console.IsOutputRedirected,
            ErrorIsTerminal = !dumb && !Console.IsErrorRedirected,
        };
    }

    private static TextWriter Open(Stream stream) => TextWriter.Synchronized(
        new StreamWriter(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false)) { AutoFlush = true });
}
