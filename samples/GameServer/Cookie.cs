using System.Security.Cryptography;
using System.Text;
using Spate;

/// <summary>Proves that a peer receives at its address, without keeping anything about it.</summary>
internal static class Cookie
{
    public const int Bytes = 8;

    private const long PeriodMilliseconds = 30_000;

    private static readonly byte[] Key = RandomNumberGenerator.GetBytes(HMACSHA256.HashSizeInBytes);

    /// <summary>The cookie of a peer in this period, or in one that is over.</summary>
    public static byte[] Of(in UdpEndPoint peer, int periodsAgo = 0)
    {
        long period = (Environment.TickCount64 / PeriodMilliseconds) - periodsAgo;
        return HMACSHA256.HashData(Key, Encoding.ASCII.GetBytes($"{peer} {period}"))[..Bytes];
    }

    /// <summary>Whether a cookie is the peer's of this period or of the one before.</summary>
    public static bool IsValid(in UdpEndPoint peer, ReadOnlySpan<byte> cookie) =>
        CryptographicOperations.FixedTimeEquals(Of(peer), cookie)
        || CryptographicOperations.FixedTimeEquals(Of(peer, periodsAgo: 1), cookie);
}
