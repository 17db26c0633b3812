using System.Buffers.Binary;
using System.Security.Cryptography;
using Spate.Measurement.Counting;

namespace Spate.Measurement.PathTest;

/// <summary>
/// Lets a client prove that it receives at the address from which it sends, without keeping anything about it: the
/// proof is a cookie that only this server can have made, for this address and this client's nonce, a short time ago.
/// </summary>
/// <remarks>
/// 40 bytes: the server's nonce (16), when it was made (8), and a SipHash-2-4 under each of two keys over all that it
/// is for (16).
/// The key is random and lives as long as the server. Any thread may use it.
/// </remarks>
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

    /// <summary>Makes a cookie.</summary>
    /// <param name="peer">From where the hello came.</param>
    /// <param name="clientNonce"><see cref="NonceBytes"/> that the client chose.</param>
    /// <param name="cookie">Takes <see cref="CookieBytes"/>.</param>
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
