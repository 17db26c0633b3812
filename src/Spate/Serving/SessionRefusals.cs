namespace Spate.Serving;

/// <summary>
/// How many times <see cref="SessionTable{TSession}.TryAdmit"/> refused a new session, by the limit that refused it. A
/// peer that tries again counts again. The meter <c>Spate</c> has the same as <c>spate.session.refused</c>.
/// </summary>
public readonly record struct SessionRefusals
{
    /// <summary>Refused because the table was full (<see cref="SessionAdmission.Full"/>).</summary>
    public long Full { get; init; }

    /// <summary>
    /// Refused because the peer's prefix had too many new sessions (<see cref="SessionAdmission.PrefixLimited"/>).
    /// </summary>
    public long ByPrefix { get; init; }

    /// <summary>
    /// Refused because all peers together had too many new sessions (<see cref="SessionAdmission.RateLimited"/>).
    /// </summary>
    public long ByRate { get; init; }

    /// <summary>The sum of the three.</summary>
    public long Total => Full + ByPrefix + ByRate;

    internal SessionRefusals Plus(in SessionRefusals other) => new()
    {
        Full = Full + other.Full,
        ByPrefix = ByPrefix + other.ByPrefix,
        ByRate = ByRate + other.ByRate,
    };
}
