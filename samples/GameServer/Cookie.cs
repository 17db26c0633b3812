using System.Buffers.Binary;
using System.Security.Cryptography;
using Spate;

/// <summary>Proves that a peer receives at its address, without keeping anything about it.</summary>
internal static class Cookie
{
    public const int Bytes = 8;

    private const int AddressBytes = 16;
    private const long PeriodMilliseconds = 30_000;

    private static readonly byte[] Key = RandomNumberGenerator.GetBytes(HMACSHA256.HashSizeInBytes);

    private static long Period => Environment.TickCount64 / PeriodMilliseconds;

    public static void Write(in UdpEndPoint peer, Span<byte> cookie) => Write(peer, Period, cookie);

    /// <summary>Whether a cookie was written for this peer in this period or in the one before.</summary>
    public static bool IsValid(in UdpEndPoint peer, ReadOnlySpan<byte> cookie)
    {
        Span<byte> expected = stackalloc byte[Bytes];
        long period = Period;
        for (long at = period; at >= period - 1; at--)
        {
            Write(peer, at, expected);
            if (CryptographicOperations.FixedTimeEquals(expected, cookie)) return true;
        }

        return false;
    }

    private static void Write(in UdpEndPoint peer, long period, Span<byte> cookie)
    {
        Span<byte> text = stackalloc byte[AddressBytes + sizeof(ushort) + sizeof(long)];
        text.Clear();
        _ = peer.TryWriteAddressBytes(text, out _);
        BinaryPrimitives.WriteUInt16BigEndian(text[AddressBytes..], (ushort)peer.Port);
        BinaryPrimitives.WriteInt64BigEndian(text[(AddressBytes + sizeof(ushort))..], period);
        Span<byte> hash = stackalloc byte[HMACSHA256.HashSizeInBytes];
        HMACSHA256.HashData(Key, text, hash);
        hash[..Bytes].CopyTo(cookie);
    }
}
