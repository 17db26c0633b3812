namespace Spate.Serving;

/// <summary>The result of <see cref="SessionTable{TSession}.GetOrAdmit"/> for a peer.</summary>
public enum SessionAdmission
{
    /// <summary>The default value, before any call. The table never returns it.</summary>
    None = 0,

    /// <summary>The peer has a new session. The value of the session is <c>default</c> until you fill it in.</summary>
    Admitted,

    /// <summary>The peer already had a session. The call does not count for the rate limits.</summary>
    Known,

    /// <summary>
    /// Refused: the table has <see cref="SessionTableOptions.MaxSessions"/> sessions, and the call found no expired
    /// session to end.
    /// </summary>
    Full,

    /// <summary>Refused: the peer's prefix has reached its rate limit of new sessions.</summary>
    PrefixLimited,

    /// <summary>
    /// Refused: all peers together have reached the rate limit of new sessions, or the table has no free token bucket
    /// for the peer's prefix, because too many other prefixes have had new sessions recently.
    /// </summary>
    RateLimited,
}
