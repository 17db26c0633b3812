using System.Runtime.CompilerServices;
using Spate.Serving.Sessions;

namespace Spate.Serving;

/// <summary>
/// The limits of a <see cref="SessionTable{TSession}"/>. Read once, when the table is made; the object may be reused.
/// </summary>
public sealed class SessionTableOptions
{
    /// <summary>The largest <see cref="MaximumSessions"/>: 16,777,216.</summary>
    public const int MaximumSessionsMost = 1 << 24;

    /// <summary>The largest rate of new sessions that can be set: a million per second.</summary>
    public const int NewSessionsPerSecondMost = 1_000_000;

    /// <summary>The shortest <see cref="IdleLimit"/>: 100 ms.</summary>
    public static TimeSpan IdleLimitLeast { get; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest <see cref="IdleLimit"/> besides none: 365 days.</summary>
    public static TimeSpan IdleLimitMost { get; } = TimeSpan.FromDays(365);

    /// <summary>
    /// The most sessions at a time, 1 to <see cref="MaximumSessionsMost"/>; default 65,536, as WireGuard's table of
    /// sources. Memory for all of them is reserved when the table is made: see <see cref="SessionTable{TSession}"/>.
    /// </summary>
    public int MaximumSessions { get; init; } = 65_536;

    /// <summary>
    /// How long a session may be without a lookup that finds it before it is let go, 100 ms to 365 days, or
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no limit. Default 2 minutes: the least that a NAT must keep the
    /// peer's port (RFC 4787, REQ-5), so a peer that is idle longer may come back as another one.
    /// </summary>
    public TimeSpan IdleLimit { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// New sessions per second, from all peers together, 0 to 1,000,000; 0: no limit. Default 10,000.
    /// </summary>
    public int NewSessionsPerSecond { get; init; } = 10_000;

    /// <summary>
    /// New sessions that may come at once after a pause, from all peers together; 1 or more. Default 10,000.
    /// </summary>
    public int NewSessionsBurst { get; init; } = 10_000;

    /// <summary>
    /// New sessions per second from one prefix, 0 to 1,000,000; 0: no limit, and no memory for it. Default 20, as
    /// WireGuard's limit for unverified sources. Raise it where many peers share an address, as behind a NAT.
    /// </summary>
    public int NewSessionsPerSecondPerPrefix { get; init; } = 20;

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
    /// The most entries that one <see cref="SessionTable{TSession}.Age"/> looks at, 16 to 1,048,576; default 1,024. It
    /// bounds the pause; an expiry counts as nine.
    /// </summary>
    public int AgingEntriesPerPass { get; init; } = 1024;

    /// <summary>The monotonic clock for age and rates; default <see cref="TimeProvider.System"/>.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(TimeProvider);
        ThrowIfOutside(MaximumSessions, 1, MaximumSessionsMost);
        ThrowIfOutside(NewSessionsPerSecond, 0, NewSessionsPerSecondMost);
        ThrowIfOutside(NewSessionsBurst, 1, int.MaxValue);
        ThrowIfOutside(NewSessionsPerSecondPerPrefix, 0, NewSessionsPerSecondMost);
        ThrowIfOutside(NewSessionsBurstPerPrefix, 1, int.MaxValue);
        ThrowIfOutside(IPv4PrefixBits, 1, SourcePrefix.IPv4BitsMost);
        ThrowIfOutside(IPv6PrefixBits, 1, SourcePrefix.IPv6BitsMost);
        ThrowIfOutside(AgingEntriesPerPass, 16, 1 << 20);
        if (IdleLimit != Timeout.InfiniteTimeSpan && (IdleLimit < IdleLimitLeast || IdleLimit > IdleLimitMost))
        {
            throw new ArgumentOutOfRangeException(
                nameof(IdleLimit), IdleLimit, "An idle limit is from 100 ms to 365 days, or Timeout.InfiniteTimeSpan.");
        }
    }

    private static void ThrowIfOutside(
        int value, int least, int most, [CallerArgumentExpression(nameof(value))] string name = "")
    {
        if (value < least || value > most)
            throw new ArgumentOutOfRangeException(name, value, $"{name} is from {least} to {most}.");
    }
}
