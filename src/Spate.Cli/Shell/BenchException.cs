namespace Spate.Cli.Shell;

/// <summary>A bench could not run. The message is one line for the user: the fault, and what to do about it.</summary>
internal sealed class BenchException : Exception
{
    /// <summary>An error with a general message, for tools that create exceptions by reflection.</summary>
    public BenchException()
        : this("The bench could not run.")
    {
    }

    /// <summary>An error with the line that the user reads.</summary>
    public BenchException(string message)
        : base(message)
    {
    }

    /// <summary>An error with the line that the user reads, and its cause.</summary>
    /// <param name="message">One line: what was wrong, what was expected, and what to do.</param>
    /// <param name="innerException">The cause, for a debugger. Users do not see its text.</param>
    public BenchException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
