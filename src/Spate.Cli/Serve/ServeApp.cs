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

    /// <summary>
    /// Sends each datagram back to its peer without copying it. A forged request must not make two servers answer each
    /// other without end: an answer has the received time to live less one
    /// (<see cref="ServeOptions.LowersTimeToLive"/>), answers per peer are limited
    /// (<see cref="ServeOptions.AnswersPerPeer"/>), and ports below 1024 and the server's own port get no answer.
    /// </summary>
    Echo,

    Discard,

    /// <summary>
    /// Forwards each datagram to every destination without copying it, in order per destination. It works one way:
    /// datagrams from a destination are not forwarded, and no answers are routed back.
    /// </summary>
    Relay,
}
