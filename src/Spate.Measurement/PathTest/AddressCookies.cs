using System.Buffers.Binary;
using System.Numerics;
using System.Security.Cryptography;
using Spate.Measurement.Counting;

namespace Spate.Measurement.PathTest;

/// <summary>
/// Lets a client prove that it receives at the address from which it sends, without keeping anything about it: the
/// proof is a cookie that only this server can have made, for this address and this client's nonce, a short time ago.
/// </summary>
// 40 bytes: the server's nonce (16), when it was made (8), a SipHash-2-4 under each of two keys over it all (16). The
// key is random and lives as long as the server. Any thread may use it.
internal sealed class AddressCookies(TimeProvider time)
{
    public const int CookieBytes = 40;
    public const int NonceBytes = 16;

    /// <summary>How long a cookie is good for. A client that waited longer asks for another one.</summary>
    public static readonly TimeSpan Lifetime = TimeSpan.FromSeconds(30);

    private const int TimeOffset = NonceBytes;
    private const int CodeOffset = 24;
    private const int AddressBytes = 16;

    // An address in 16 bytes, its length, the scope, the port, both nonces, the time.
    private const int InputBytes = AddressBytes + 1 + 4 + 2 + NonceBytes + NonceBytes + 8;

    private const int CodeBytes = CookieBytes - CodeOffset;

    private readonly CookieHash _firstHalf = new();
    private readonly CookieHash _secondHalf = new();

    /// <summary>Makes a cookie of <see cref="CookieBytes"/> for the address and the nonce of a hello.</summary>
    public void Issue(in UdpEndPoint peer, ReadOnlySpan<byte> clientNonce, Span<byte> cookie)
    {
        SystemRandom.Fill(cookie[..NonceBytes]);
        BinaryPrimitives.WriteInt64BigEndian(cookie[TimeOffset..], time.GetTimestamp());
        Authenticate(peer, clientNonce, cookie, cookie[CodeOffset..]);
    }

    /// <summary>Whether this server made the cookie for this address and nonce, and not too long ago.</summary>
    public bool IsValid(in UdpEndPoint peer, ReadOnlySpan<byte> clientNonce, ReadOnlySpan<byte> cookie)
    {
        if (clientNonce.Length != NonceBytes || cookie.Length != CookieBytes) return false;

        Span<byte> code = stackalloc byte[CodeBytes];
        Authenticate(peer, clientNonce, cookie, code);
        if (!CryptographicOperations.FixedTimeEquals(code, cookie[CodeOffset..])) return false;

        return time.GetElapsedTime(BinaryPrimitives.ReadInt64BigEndian(cookie[TimeOffset..])) <= Lifetime;
    }

    private void Authenticate(
        in UdpEndPoint peer, ReadOnlySpan<byte> clientNonce, ReadOnlySpan<byte> cookie, Span<byte> code)
    {
        Span<byte> input = stackalloc byte[InputBytes];
        input.Clear();
        UdpAddress address = peer.Address;
        _ = address.TryWriteBytes(input, out int addressBytes);
        Span<byte> rest = input[AddressBytes..];
        rest[0] = (byte)addressBytes;
        BinaryPrimitives.WriteUInt32BigEndian(rest[1..], address.ScopeId);
        BinaryPrimitives.WriteUInt16BigEndian(rest[5..], (ushort)peer.Port);
        clientNonce.CopyTo(rest[7..]);
        cookie[..CodeOffset].CopyTo(rest[(7 + NonceBytes)..]);
        BinaryPrimitives.WriteUInt64LittleEndian(code, _firstHalf.Compute(input));
        BinaryPrimitives.WriteUInt64LittleEndian(code[sizeof(ulong)..], _secondHalf.Compute(input));
    }
}

/// <summary>Which cookies have opened a test, while they are good: a copy of a request opens no second one.</summary>
internal sealed class RecentNonces(TimeProvider time)
{
    /// <summary>The most cookies to remember. A server that starts so many tests in 30 s refuses more.</summary>
    public const int MaxCount = 4096;

    private readonly HashSet<UInt128> _known = [];
    private readonly Queue<(UInt128 Nonce, long Ticks)> _order = new();

    public bool IsFull
    {
        get
        {
            ForgetOld();
            return _known.Count >= MaxCount;
        }
    }

    public bool Contains(ReadOnlySpan<byte> cookie) =>
        _known.Contains(BinaryPrimitives.ReadUInt128BigEndian(cookie));

    /// <summary>Remembers a cookie. Returns false if it is known, or if there is no room.</summary>
    public bool TryAdd(ReadOnlySpan<byte> cookie)
    {
        UInt128 nonce = BinaryPrimitives.ReadUInt128BigEndian(cookie);
        if (IsFull || !_known.Add(nonce)) return false;

        _order.Enqueue((nonce, time.GetTimestamp()));
        return true;
    }

    private void ForgetOld()
    {
        while (_order.TryPeek(out (UInt128 Nonce, long Ticks) oldest)
            && time.GetElapsedTime(oldest.Ticks) > AddressCookies.Lifetime)
        {
            _known.Remove(_order.Dequeue().Nonce);
        }
    }
}

/// <summary>
/// SipHash-2-4 by Aumasson and Bernstein ("SipHash: a fast short-input PRF", 2012): a code of 64 bits that only the
/// holder of the key can make. Unlike the HMAC of .NET it needs no library of the system.
/// </summary>
internal readonly struct CookieHash(ulong key0, ulong key1)
{
    public CookieHash()
        : this(SystemRandom.NextUInt64(), SystemRandom.NextUInt64())
    {
    }

    public ulong Compute(ReadOnlySpan<byte> message)
    {
        // The paper's constants: "somepseudorandomlygeneratedbytes" in ASCII.
        ulong v0 = key0 ^ 0x736f6d6570736575;
        ulong v1 = key1 ^ 0x646f72616e646f6d;
        ulong v2 = key0 ^ 0x6c7967656e657261;
        ulong v3 = key1 ^ 0x7465646279746573;
        Span<byte> last = stackalloc byte[sizeof(ulong)];
        last.Clear();
        message[^(message.Length % sizeof(ulong))..].CopyTo(last);
        last[^1] = (byte)message.Length;
        for (; message.Length >= sizeof(ulong); message = message[sizeof(ulong)..])
        {
            Absorb(message, ref v0, ref v1, ref v2, ref v3);
        }

        Absorb(last, ref v0, ref v1, ref v2, ref v3);
        v2 ^= 0xFF;
        for (int i = 0; i < 4; i++) Round(ref v0, ref v1, ref v2, ref v3);
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private static void Absorb(ReadOnlySpan<byte> bytes, ref ulong v0, ref ulong v1, ref ulong v2, ref ulong v3)
    {
        ulong word = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
        v3 ^= word;
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        v0 ^= word;
    }

    private static void Round(ref ulong v0, ref ulong v1, ref ulong v2, ref ulong v3)
    {
        v0 += v1;
        v1 = BitOperations.RotateLeft(v1, 13) ^ v0;
        v0 = BitOperations.RotateLeft(v0, 32);
        v2 += v3;
        v3 = BitOperations.RotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = BitOperations.RotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = BitOperations.RotateLeft(v1, 17) ^ v2;
        v2 = BitOperations.RotateLeft(v2, 32);
    }
}
