using System.Net.Sockets;

namespace Spate.Measurement.Traffic;

/// <summary>Traffic could not be sent or received. The message is one line for the user.</summary>
internal sealed class TrafficException : Exception
{
    /// <summary>An error without a message; used by tools that create exceptions by reflection.</summary>
    public TrafficException()
        : this("The traffic could not run.")
    {
    }

    /// <summary>An error with the line that the user reads.</summary>
    /// <param name="message">What was wrong, what was expected, what to do; one line.</param>
    public TrafficException(string message)
        : base(message)
    {
    }

    /// <summary>An error with the line that the user reads and its cause.</summary>
    /// <param name="message">What was wrong, what was expected, what to do; one line.</param>
    /// <param name="innerException">The exception that caused this one.</param>
    public TrafficException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    /// <summary>
    /// The fault of opening the sockets of several flows, with their number where the process has no more files for
    /// them; null for other faults.
    /// </summary>
    /// <param name="fault">The fault of a socket.</param>
    /// <param name="openedCount">The flows that were opened.</param>
    /// <param name="flowCount">The flows that were asked for.</param>
    internal static TrafficException? OfFlows(Exception fault, int openedCount, int flowCount) =>
        flowCount > 1 && fault is SocketException { SocketErrorCode: SocketError.TooManyOpenSockets }
            ? new TrafficException(
                $"{flowCount} flows need a socket each, and {openedCount} could be opened: at least "
                + $"{flowCount - openedCount} more files are needed. {fault.Message}",
                fault)
            : null;
}
