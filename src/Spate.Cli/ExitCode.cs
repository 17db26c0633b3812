namespace Spate.Cli;

/// <summary>What the tool's exit codes mean. They are part of the command line's contract.</summary>
internal static class ExitCode
{
    public const int Done = 0;

    /// <summary>A check or a condition that was asked for failed.</summary>
    public const int CheckFailed = 1;

    /// <summary>The command line was wrong; the same call will never work.</summary>
    public const int WrongUse = 2;

    /// <summary>The system refused (busy port, no permission); the same call may work elsewhere or later.</summary>
    public const int CouldNotRun = 3;
}
