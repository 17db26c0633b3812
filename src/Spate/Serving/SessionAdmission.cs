namespace Spate.Serving;

/// <summary>The result of <see cref="SessionTable{TSession}.TryAdmit"/> for a peer.</summary>
public enum SessionAdmission
{
    /// <summary>The default value: no peer was asked about. The table never returns it.</summary>
    None = 0,

    /// <summary>A new session, whose value is the default one until you fill it in.</summary>
    Admitted,

    /// <summary>The peer had a session already; nothing was charged to any limit.</summary>
    Known,

    /// <summary>
    /// Refused: the table has <see cref="SessionTableOptions.MaxSessions"/> sessions, and no expired session was found.
    /// </summary>
    Full,

    /// <summary>Refused: the peer's prefix has reached its rate limit of new sessions.</summary>
    PrefixLimited,

    /// <summary>
    /// Refused: all peers together have reached the rate limit of new sessions, or too many prefixes are being limited,
    /// so that no bucket is free for the peer's prefix.
    /// </summary>
    RateLimited,
}
