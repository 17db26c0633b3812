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
