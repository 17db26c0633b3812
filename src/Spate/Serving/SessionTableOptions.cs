using Spate.Serving.Sessions;
using Spate.Sockets;

namespace Spate.Serving;

/// <summary>
/// The limits and the clock of a <see cref="SessionTable{TSession}"/>. The table reads them once, when it is made, so
/// the object may be reused.
/// </summary>
public sealed record SessionTableOptions
{
    private const int MaxMaxSessions = 1 << 24;
    private const int MaxRate = 1_000_000;
    private const int MinEntriesPerPass = 16;
    private const int MaxEntriesPerPass = 1 << 20;

    private static readonly TimeSpan MinIdleTimeout = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan MaxIdleTimeout = TimeSpan.FromDays(365);

    /// <summary>
    /// The largest number of sessions, 1 to 16,777,216; default 65,536, as in WireGuard's table of sources. The memory
    /// for all of them is reserved when the table is made: see <see cref="SessionTable{TSession}"/>.
    /// </summary>
    public int MaxSessions { get; init; } = 65_536;

    /// <summary>
    /// The time after which a session ends if no lookup finds it, 100 ms to 365 days; null for no limit. Default 2
    /// minutes: a NAT must keep the peer's port for at least that time (RFC 4787, REQ-5). A peer that is idle for
    /// longer may come back with another port.
    /// </summary>
    public TimeSpan? IdleTimeout { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// The rate limit of new sessions from all peers together: 1 to 1,000,000 per second; null for no limit. Default
    /// 10,000.
    /// </summary>
    public int? NewSessionsPerSecond { get; init; } = 10_000;

    /// <summary>
    /// How many new sessions from all peers together are allowed at once after a pause; 1 or more. Default 10,000.
    /// </summary>
    public int NewSessionsBurst { get; init; } = 10_000;

    /// <summary>
    /// The rate limit of new sessions from one prefix: 1 to 1,000,000 per second; null for no limit, which also saves
    /// the memory for this limit. Default 20, as in WireGuard's limit for unverified sources. Raise the limit if many
    /// peers share an address, for example the hosts of one NAT. Peers on loopback (127.0.0.0/8, ::1) are not limited
    /// by prefix.
    /// </summary>
    public int? NewSessionsPerSecondPerPrefix { get; init; } = 20;

    /// <summary>
    /// How many new sessions from one prefix are allowed at once after a pause; 1 or more. Default 5, as in WireGuard.
    /// </summary>
    public int NewSessionsBurstPerPrefix { get; init; } = 5;

    /// <summary>The number of leading bits of an IPv4 address that form its prefix, 1 to 32; default 24.</summary>
    public int IPv4PrefixBits { get; init; } = 24;

    /// <summary>
    /// The number of leading bits of an IPv6 address that form its prefix, 1 to 64. Default 64, because a single host
    /// may own a whole /64 prefix (RFC 4291, 2.5.1).
    /// </summary>
    public int IPv6PrefixBits { get; init; } = 64;

    /// <summary>
    /// The largest number of entries that one call of <see cref="SessionTable{TSession}.RemoveExpired"/> visits, 16 to
    /// 1,048,576; default 1,024. An entry whose session expires counts as nine entries. The limit bounds the duration
    /// of a call. If <see cref="SessionTable{TSession}.RemoveExpired"/> is called too rarely to visit all entries in
    /// time, <see cref="SessionTable{TSession}.AgingBacklog"/> is above 0.
    /// </summary>
    public int MaxAgingEntriesPerPass { get; init; } = 1024;

    /// <summary>
    /// The monotonic clock that measures idle times and the rates of new sessions. Default null: the clock of the
    /// server (<see cref="UdpSocketOptions.TimeProvider"/> of <see cref="UdpServerOptions.Socket"/>) in a table of
    /// <see cref="UdpShard.CreateSessionTable{TSession}"/>, and <see cref="TimeProvider.System"/> in other tables.
    /// </summary>
    public TimeProvider? TimeProvider { get; init; }

    internal TimeProvider Clock => TimeProvider ?? TimeProvider.System;

    internal void Validate()
    {
        OptionChecks.RequireRange(MaxSessions, 1, MaxMaxSessions, nameof(MaxSessions));
        OptionChecks.RequireRange(NewSessionsPerSecond ?? 1, 1, MaxRate, nameof(NewSessionsPerSecond));
        OptionChecks.RequireRange(NewSessionsBurst, 1, int.MaxValue, nameof(NewSessionsBurst));
        OptionChecks.RequireRange(
            NewSessionsPerSecondPerPrefix ?? 1, 1, MaxRate, nameof(NewSessionsPerSecondPerPrefix));
        OptionChecks.RequireRange(NewSessionsBurstPerPrefix, 1, int.MaxValue, nameof(NewSessionsBurstPerPrefix));
        OptionChecks.RequireRange(IPv4PrefixBits, 1, AdmissionLimiter.MaxIPv4Bits, nameof(IPv4PrefixBits));
        OptionChecks.RequireRange(IPv6PrefixBits, 1, AdmissionLimiter.MaxIPv6Bits, nameof(IPv6PrefixBits));
        OptionChecks.RequireRange(
            MaxAgingEntriesPerPass, MinEntriesPerPass, MaxEntriesPerPass, nameof(MaxAgingEntriesPerPass));
        if (IdleTimeout < MinIdleTimeout || IdleTimeout > MaxIdleTimeout)
        {
            throw new ArgumentOutOfRangeException(
                nameof(IdleTimeout), IdleTimeout, "IdleTimeout must be from 100 ms to 365 days, or null for none.");
        }
    }
}
