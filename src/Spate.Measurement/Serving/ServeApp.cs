namespace Spate.Measurement.Serving;

/// <summary>What a <see cref="ServeRun"/> does with datagrams.</summary>
public enum ServeApp
{
    /// <summary>
    /// Counts, and follows the streams of a <see cref="Traffic.TrafficSender"/>: which part arrived, exactly. Their end
    /// announcements are not counted as datagrams.
    /// </summary>
    Count,

    /// <summary>
    /// Sends each back to its peer without copying it, except to ports below 1024 and to the port it came in by: a
    /// forged request could set two servers on each other without end.
    /// </summary>
    Echo,

    /// <summary>Receives and lets go.</summary>
    Discard,

    /// <summary>
    /// Forwards each to every destination without copying it, in order per destination. One way: what comes from a
    /// destination is not forwarded, and nothing is routed back.
    /// </summary>
    Relay,
}
