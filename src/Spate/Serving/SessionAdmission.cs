namespace Spate.Serving;

/// <summary>What <see cref="SessionTable{TSession}.TryAdmit"/> did with a peer.</summary>
public enum SessionAdmission
{
    /// <summary>The default value: no peer was asked about. The table never returns it.</summary>
    None = 0,

    /// <summary>A new session, whose value is the default one until you fill it in.</summary>
    Admitted,

    /// <summary>The peer had a session already; nothing was charged to any limit.</summary>
    Known,

    /// <summary>
    /// Refused: the table holds <see cref="SessionTableOptions.MaxSessions"/>, and none that had expired was found.
    /// </summary>
    Full,

    /// <summary>Refused: the peer's prefix had more new sessions than it may have in this time.</summary>
    PrefixLimited,

    /// <summary>
    /// Refused: all peers together had more new sessions than they may have in this time, or so many prefixes are being
    /// limited that there is no bucket for this one.
    /// </summary>
    RateLimited,
}
