namespace Spate.Cli.Shell;

/// <summary>Ends a command with one line on stderr and an exit code. The message is shown as it is.</summary>
internal sealed class CommandException : Exception
{
    private CommandException(int exitCode, string message, Exception? cause)
        : base(message, cause) => ExitCode = exitCode;

    public int ExitCode { get; }

    /// <summary>Whether a name has no address, which a command may take for no fault of its command line.</summary>
    public bool IsUnknownHost { get; private init; }

    /// <summary>The command line is wrong. The message says what was expected, which is the whole remedy.</summary>
    public static CommandException WrongUse(string message) => new(Shell.ExitCode.WrongUse, message, cause: null);

    /// <summary>A host on the command line has no address. The message names it.</summary>
    public static CommandException UnknownHost(string message) =>
        new(Shell.ExitCode.WrongUse, DocsAnchor.Append(message, DocsAnchor.UnknownHost), cause: null)
        {
            IsUnknownHost = true,
        };

    /// <param name="anchor">Where to read more (<see cref="DocsAnchor"/>); null where there is no remedy.</param>
    public static CommandException Refused(string message, string? anchor, Exception? cause = null) =>
        new(Shell.ExitCode.CouldNotRun, DocsAnchor.Append(message, anchor), cause);
}

/// <summary>A bench could not run. The message is one line for the user: the fault, and what to do about it.</summary>
internal sealed class BenchException : Exception
{
    /// <summary>An error with a general message, for tools that create exceptions by reflection.</summary>
    public BenchException()
        : this("The bench could not run.")
    {
    }

    public BenchException(string message)
        : base(message)
    {
    }

    /// <param name="innerException">The cause, for a debugger. Users do not see its text.</param>
    public BenchException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}

/// <summary>The tool's exit codes, which are part of the contract of its command line.</summary>
internal static class ExitCode
{
    public const int Done = 0;

    public const int CheckFailed = 1;

    /// <summary>The command line was wrong; the same call will never work.</summary>
    public const int WrongUse = 2;

    /// <summary>The system refused (busy port, no permission); the same call may work elsewhere or later.</summary>
    public const int CouldNotRun = 3;
}
