namespace Spate.Gateway;

/// <summary>
/// A gateway or a reader cannot be started, or has ended. The message is one line without secrets, and what comes from
/// the network is escaped in it.
/// </summary>
public sealed class GatewayException : Exception
{
    /// <summary>Without a message of its own.</summary>
    public GatewayException()
    {
    }

    /// <summary>With a message.</summary>
    /// <param name="message">What was wrong, what was expected, and what to do.</param>
    public GatewayException(string? message)
        : base(message)
    {
    }

    /// <summary>With a message and what caused it.</summary>
    /// <param name="message">What was wrong, what was expected, and what to do.</param>
    /// <param name="innerException">The cause.</param>
    public GatewayException(string? message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>
    /// Whether a broker answered and refused, so that trying again does not help until something is changed:
    /// credentials, virtual host, queue, certificate. False where no host could be reached.
    /// </summary>
    public bool IsRefusal { get; init; }
}
