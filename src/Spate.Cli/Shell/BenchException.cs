namespace Spate.Cli.Shell;

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
