namespace Spate.Cli;

/// <summary>Ends a command with one line on stderr and an exit code. The message is shown as it is.</summary>
internal sealed class CommandException : Exception
{
    private CommandException(int exitCode, string message, Exception? cause)
        : base(message, cause) => ExitCode = exitCode;

    public int ExitCode { get; }

    /// <summary>The command line is wrong. The message says what was wrong and what was expected.</summary>
    public static CommandException WrongUse(string message) => new(Cli.ExitCode.WrongUse, message, cause: null);

    /// <summary>The system refused. The message says what was refused, and what to do.</summary>
    public static CommandException Refused(string message, Exception? cause = null) =>
        new(Cli.ExitCode.CouldNotRun, message, cause);
}
