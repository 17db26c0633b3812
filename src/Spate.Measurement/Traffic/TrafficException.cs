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

    /// <summary>The message says what was wrong, what was expected, what to do, in one line.</summary>
    public TrafficException(string message)
        : base(message)
    {
    }

    public TrafficException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Of opening the sockets of flows, where the process has no more files; null for other faults.</summary>
    internal static TrafficException? OfFlows(Exception fault, int openedCount, int flowCount) =>
        flowCount > 1 && fault is SocketException { SocketErrorCode: SocketError.TooManyOpenSockets }
            ? new TrafficException(
                $"{flowCount} flows need a socket each, and {openedCount} could be opened: at least "
                + $"{flowCount - openedCount} more files are needed. {fault.Message}",
                fault)
            : null;
}
