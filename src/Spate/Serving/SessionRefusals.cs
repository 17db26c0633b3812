namespace Spate.Serving;

/// <summary>
/// How many times <see cref="SessionTable{TSession}.GetOrAdmit"/> refused a new session, with one count for each limit.
/// A peer that is refused again is counted again. The instrument <c>spate.session.refused</c> of the meter <c>Spate</c>
/// reports the same counts for the tables of servers.
/// </summary>
public readonly record struct SessionRefusals
{
    /// <summary>Refusals because the table was full (<see cref="SessionAdmission.Full"/>).</summary>
    public long Full { get; init; }

    /// <summary>
    /// Refusals because the peer's prefix had reached its rate limit of new sessions
    /// (<see cref="SessionAdmission.PrefixLimited"/>).
    /// </summary>
    public long ByPrefix { get; init; }

    /// <summary>
    /// Refusals because all peers together had reached the rate limit of new sessions, or because no token bucket was
    /// free for the peer's prefix (<see cref="SessionAdmission.RateLimited"/>).
    /// </summary>
    public long ByRate { get; init; }

    /// <summary>All refusals: the sum of <see cref="Full"/>, <see cref="ByPrefix"/> and <see cref="ByRate"/>.</summary>
    public long Total => Full + ByPrefix + ByRate;

    internal SessionRefusals Plus(in SessionRefusals other) => new()
    {
        Full = Full + other.Full,
        ByPrefix = ByPrefix + other.ByPrefix,
        ByRate = ByRate + other.ByRate,
    };
}
