namespace Spate.Cli.Shell;

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
