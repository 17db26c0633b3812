using Spate.Serving.Sessions;
using Spate.Sockets;

namespace Spate.Serving;

/// <summary>
/// The limits of a <see cref="SessionTable{TSession}"/>. Read once, when the table is made; the object may be reused.
/// </summary>
public sealed record SessionTableOptions
{
    private const int MaxMaxSessions = 1 << 24;
    private const int MaxRate = 1_000_000;
    private const int MinEntriesPerPass = 16;
    private const int MaxEntriesPerPass = 1 << 20;

    private static readonly TimeSpan MinIdleLimit = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan MaxIdleLimit = TimeSpan.FromDays(365);

    /// <summary>
    /// The largest number of sessions, 1 to 16,777,216; default 65,536, as WireGuard's table of sources. Memory for all
    /// of them is reserved when the table is made: see <see cref="SessionTable{TSession}"/>.
    /// </summary>
    public int MaxSessions { get; init; } = 65_536;

    /// <summary>
    /// How long a session may be without a lookup that finds it before it ends, 100 ms to 365 days; null for no limit.
    /// Default 2 minutes: a NAT must keep the peer's port for at least that time (RFC 4787, REQ-5), so a peer that is
    /// idle longer may come back with another port.
    /// </summary>
    public TimeSpan? IdleLimit { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// New sessions per second, from all peers together, 1 to 1,000,000; null for no limit. Default 10,000.
    /// </summary>
    public int? NewSessionsPerSecond { get; init; } = 10_000;

    /// <summary>
    /// New sessions that may come at once after a pause, from all peers together; 1 or more. Default 10,000.
    /// </summary>
    public int NewSessionsBurst { get; init; } = 10_000;

    /// <summary>
    /// New sessions per second from one prefix, 1 to 1,000,000; null for no limit, and no memory for one. Default 20,
    /// as WireGuard's limit for unverified sources. Raise the limit if many peers share an address, as the hosts of one
    /// NAT do. Peers on loopback (127.0.0.0/8, ::1) are not limited by prefix.
    /// </summary>
    public int? NewSessionsPerSecondPerPrefix { get; init; } = 20;

    /// <summary>
    /// New sessions that may come at once after a pause, from one prefix; 1 or more. Default 5, as WireGuard's.
    /// </summary>
    public int NewSessionsBurstPerPrefix { get; init; } = 5;

    /// <summary>The leading bits of an IPv4 address that are its prefix, 1 to 32; default 24.</summary>
    public int IPv4PrefixBits { get; init; } = 24;

    /// <summary>
    /// The leading bits of an IPv6 address that are its prefix, 1 to 64; default 64, which one host may have to itself
    /// (RFC 4291, 2.5.1).
    /// </summary>
    public int IPv6PrefixBits { get; init; } = 64;

    /// <summary>
    /// The largest number of entries that one <see cref="SessionTable{TSession}.Age"/> looks at, 16 to 1,048,576;
    /// default 1,024. An entry that expires counts as nine. The number bounds how long a call takes. If calls are too
    /// rare for it, <see cref="SessionTable{TSession}.AgingBacklog"/> is more than 0.
    /// </summary>
    public int MaxAgingEntriesPerPass { get; init; } = 1024;

    /// <summary>The monotonic clock for age and rates; default <see cref="TimeProvider.System"/>.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(TimeProvider);
        OptionChecks.RequireRange(MaxSessions, 1, MaxMaxSessions, nameof(MaxSessions));
        OptionChecks.RequireRange(NewSessionsPerSecond ?? 1, 1, MaxRate, nameof(NewSessionsPerSecond));
        OptionChecks.RequireRange(NewSessionsBurst, 1, int.MaxValue, nameof(NewSessionsBurst));
        OptionChecks.RequireRange(
            NewSessionsPerSecondPerPrefix ?? 1, 1, MaxRate, nameof(NewSessionsPerSecondPerPrefix));
        OptionChecks.RequireRange(NewSessionsBurstPerPrefix, 1, int.MaxValue, nameof(NewSessionsBurstPerPrefix));
        OptionChecks.RequireRange(IPv4PrefixBits, 1, SourcePrefix.MaxIPv4Bits, nameof(IPv4PrefixBits));
        OptionChecks.RequireRange(IPv6PrefixBits, 1, SourcePrefix.MaxIPv6Bits, nameof(IPv6PrefixBits));
        OptionChecks.RequireRange(
            MaxAgingEntriesPerPass, MinEntriesPerPass, MaxEntriesPerPass, nameof(MaxAgingEntriesPerPass));
        if (IdleLimit < MinIdleLimit || IdleLimit > MaxIdleLimit)
        {
            throw new ArgumentOutOfRangeException(
                nameof(IdleLimit), IdleLimit, "An idle limit is from 100 ms to 365 days, or null for none.");
        }
    }
}
