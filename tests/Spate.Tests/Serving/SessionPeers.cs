using System.Net;
using Spate.Serving;

namespace Spate.Tests.Serving;

/// <summary>Peers and tables for the tests of sessions.</summary>
internal static class SessionPeers
{
    /// <summary>The peer of this number: different numbers below 2^48 are different peers, of IPv4 or IPv6.</summary>
    public static UdpEndPoint Of(long number, bool ipv6 = false)
    {
        int port = (int)(number >> 32);
        var address = new IPAddress(IPAddress.HostToNetworkOrder((int)number) & 0xFFFFFFFFL);
        if (!ipv6) return new UdpEndPoint(address, port);
        Span<byte> bytes = stackalloc byte[16];
        bytes[0] = 0x20;
        _ = address.TryWriteBytes(bytes[4..], out _);
        return new UdpEndPoint(new IPAddress(bytes), port);
    }

    /// <summary>Options of a table without rates, on this clock.</summary>
    public static SessionTableOptions Options(int maxSessions, FakeTime? time = null, TimeSpan? idleTimeout = null) =>
        new()
        {
            MaxSessions = maxSessions,
            IdleTimeout = idleTimeout ?? TimeSpan.FromMinutes(2),
            NewSessionsPerSecond = null,
            NewSessionsPerSecondPerPrefix = null,
            TimeProvider = time ?? new FakeTime(),
        };

    public static SessionTable<T> Table<T>(
        int maxSessions, FakeTime? time = null, SessionEndedCallback<T>? ended = null) =>
        new(Options(maxSessions, time), ended);

    public static void Admit<T>(SessionTable<T> table, in UdpEndPoint peer, T value)
    {
        SessionAdmission admission = table.GetOrAdmit(in peer, out SessionRef<T> session);
        if (admission != SessionAdmission.Admitted) throw new InvalidOperationException($"{peer}: {admission}");
        session.Value = value;
    }

    public static bool Has<T>(SessionTable<T> table, in UdpEndPoint peer) => table.TryGet(in peer, out _);

    /// <summary>Ages until the hand has gone as far as the time asks for.</summary>
    /// <returns>Sessions that expired.</returns>
    public static int AgeAll<T>(SessionTable<T> table)
    {
        int expired = table.RemoveExpired();
        long before;
        do
        {
            before = table.AgedEntryCount;
            expired += table.RemoveExpired();
        }
        while (table.AgedEntryCount != before);
        return expired;
    }
}
