using Spate.Measurement.Traffic;

namespace Spate.Cli.Serve;

/// <summary>What a <see cref="ServeRun"/> does with datagrams.</summary>
internal enum ServeApp
{
    /// <summary>
    /// Counts datagrams and follows the streams of a <c>TrafficSender</c>, so that it is known exactly
    /// which part arrived. Announcements of an end do not count as datagrams.
    /// </summary>
    Count,

    /// <summary>Sends each datagram back to its peer, within the limits of <see cref="EchoHandler"/>.</summary>
    Echo,

    Discard,

    /// <summary>
    /// Forwards each datagram to every destination without copying it, in order per destination. It works one way:
    /// datagrams from a destination are not forwarded, and no answers are routed back.
    /// </summary>
    Relay,
}
