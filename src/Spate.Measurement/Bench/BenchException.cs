namespace Spate.Measurement.Bench;

/// <summary>A bench could not run. The message is one line for the user: what was wrong and what to do.</summary>
public sealed class BenchException : Exception
{
    /// <summary>An error without a message; used by tools that create exceptions by reflection.</summary>
    public BenchException()
        : this("The bench could not run.")
    {
    }

    /// <summary>An error with the line that the user reads.</summary>
    /// <param name="message">What was wrong, what was expected, what to do; one line.</param>
    public BenchException(string message)
        : base(message)
    {
    }

    /// <summary>An error with the line that the user reads and what it came from.</summary>
    /// <param name="message">What was wrong, what was expected, what to do; one line.</param>
    /// <param name="innerException">The fault underneath, for a debugger; its text is not shown to users.</param>
    public BenchException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
