using System.Buffers.Binary;
using System.Text;
using Spate.Measurement.Counting;

namespace Spate.Measurement.PathTest;

/// <summary>Writes and takes apart the bodies of the handshake's messages; docs/protocol.md has the layouts.</summary>
internal static class HandshakeBodies
{
    public const int NonceBytes = AddressCookies.NonceBytes;

    /// <summary>Body of a hello with its padding: the challenge, which answers it, must not be longer.</summary>
    public const int HelloBytes = ChallengeBytes;

    public const int ChallengeBytes = NonceBytes + AddressCookies.CookieBytes;

    /// <summary>Where the parameters of a request begin, behind the version.</summary>
    public const int RequestBytes = TagOffset + TestKey.TagBytes + 1;

    /// <summary>Where the parameters of an answer begin, behind the version.</summary>
    public const int AcceptBytes = NonceBytes + TestKey.TagBytes + 1;

    public const int JoinBytes = TagOffset + TestKey.TagBytes + sizeof(ulong);
    public const int JoinedBytes = NonceBytes + sizeof(ulong);

    /// <summary>The longest text of a refusal: it fits a body whatever its characters are.</summary>
    public const int MaxRefusalCharacters = MaxRefusalBytes / MaxCharacterBytes;

    private const int MaxRefusalBytes = ControlMessage.MaxBodyBytes - NonceBytes;
    private const int MaxCharacterBytes = 4;
    private const int TagOffset = NonceBytes + AddressCookies.CookieBytes;
    private const int JoinInputBytes = (2 * NonceBytes) + (3 * sizeof(ulong));

    private static ReadOnlySpan<byte> RequestName => "spate test request"u8;

    private static ReadOnlySpan<byte> AcceptName => "spate test accept"u8;

    private static ReadOnlySpan<byte> JoinName => "spate test join"u8;

    public static ReadOnlySpan<byte> NonceOf(ReadOnlySpan<byte> body) => body[..NonceBytes];

    public static ReadOnlySpan<byte> CookieOf(ReadOnlySpan<byte> body) =>
        body.Slice(NonceBytes, AddressCookies.CookieBytes);

    /// <summary>Nonce, cookie, tag, the newest version of datagrams that the client knows, parameters.</summary>
    public static byte[] Request(
        ReadOnlySpan<byte> nonce,
        ReadOnlySpan<byte> cookie,
        ReadOnlySpan<byte> parameters,
        TestKey? key,
        byte version = TestDatagram.MaxVersion)
    {
        byte[] body = new byte[RequestBytes + parameters.Length];
        nonce.CopyTo(body);
        cookie.CopyTo(body.AsSpan(NonceBytes));
        body[RequestBytes - 1] = version;
        parameters.CopyTo(body.AsSpan(RequestBytes));
        TestKey.Write(key, RequestName, RequestInput(body), body.AsSpan(TagOffset));
        return body;
    }

    public static byte VersionOfRequest(ReadOnlySpan<byte> body) => body[RequestBytes - 1];

    public static byte VersionOfAccept(ReadOnlySpan<byte> body) => body[AcceptBytes - 1];

    public static bool IsRequestRight(ReadOnlySpan<byte> body, TestKey? key) =>
        TestKey.IsRight(key, RequestName, RequestInput(body), TagOf(body));

    /// <summary>Nonce, tag, the newest version of datagrams that both ends know, parameters as granted.</summary>
    public static byte[] Accept(
        ReadOnlySpan<byte> nonce, ulong token, byte version, ReadOnlySpan<byte> parameters, TestKey? key)
    {
        byte[] body = new byte[AcceptBytes + parameters.Length];
        nonce.CopyTo(body);
        body[AcceptBytes - 1] = version;
        parameters.CopyTo(body.AsSpan(AcceptBytes));
        TestKey.Write(key, AcceptName, AcceptInput(body, token), body.AsSpan(NonceBytes));
        return body;
    }

    public static bool IsAcceptRight(ReadOnlySpan<byte> body, ulong token, TestKey? key) =>
        TestKey.IsRight(key, AcceptName, AcceptInput(body, token), body.Slice(NonceBytes, TestKey.TagBytes));

    /// <summary>Nonce, cookie, tag, the stream of the client's datagrams.</summary>
    public static byte[] Join(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> cookie, ulong token, long index, ulong stream, TestKey? key)
    {
        byte[] body = new byte[JoinBytes];
        nonce.CopyTo(body);
        cookie.CopyTo(body.AsSpan(NonceBytes));
        BinaryPrimitives.WriteUInt64BigEndian(body.AsSpan(TagOffset + TestKey.TagBytes), stream);
        TestKey.Write(key, JoinName, JoinInput(body, token, index), body.AsSpan(TagOffset));
        return body;
    }

    public static bool IsJoinRight(ReadOnlySpan<byte> body, ulong token, long index, TestKey? key) =>
        TestKey.IsRight(key, JoinName, JoinInput(body, token, index), TagOf(body));

    public static ulong StreamOfJoin(ReadOnlySpan<byte> body) =>
        BinaryPrimitives.ReadUInt64BigEndian(body[(TagOffset + TestKey.TagBytes)..]);

    /// <summary>Nonce, the stream of the server's datagrams.</summary>
    public static byte[] Joined(ReadOnlySpan<byte> nonce, ulong stream)
    {
        byte[] body = new byte[JoinedBytes];
        nonce.CopyTo(body);
        BinaryPrimitives.WriteUInt64BigEndian(body.AsSpan(NonceBytes), stream);
        return body;
    }

    /// <summary>Nonce, text, of which what is too long is left out.</summary>
    public static byte[] Refusal(ReadOnlySpan<byte> nonce, string text)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(text.Length > MaxRefusalCharacters ? text[..MaxRefusalCharacters] : text);
        return [.. nonce, .. utf8];
    }

    /// <summary>The text of a refusal, which a stranger may have written; empty where there is none.</summary>
    public static string TextOfRefusal(ReadOnlySpan<byte> body) => Encoding.UTF8.GetString(
        body[Math.Min(body.Length, NonceBytes)..Math.Min(body.Length, NonceBytes + MaxRefusalBytes)]);

    public static ulong StreamOfJoined(ReadOnlySpan<byte> body) =>
        BinaryPrimitives.ReadUInt64BigEndian(body[NonceBytes..]);

    private static ReadOnlySpan<byte> TagOf(ReadOnlySpan<byte> body) => body.Slice(TagOffset, TestKey.TagBytes);

    // Both nonces (the cookie begins with the server's), then the version and the parameters.
    private static byte[] RequestInput(ReadOnlySpan<byte> body) =>
        [.. body[..(2 * NonceBytes)], .. body[(RequestBytes - 1)..]];

    private static byte[] AcceptInput(ReadOnlySpan<byte> body, ulong token)
    {
        ReadOnlySpan<byte> granted = body[(AcceptBytes - 1)..];
        byte[] input = new byte[NonceBytes + sizeof(ulong) + granted.Length];
        body[..NonceBytes].CopyTo(input);
        BinaryPrimitives.WriteUInt64BigEndian(input.AsSpan(NonceBytes), token);
        granted.CopyTo(input.AsSpan(NonceBytes + sizeof(ulong)));
        return input;
    }

    private static byte[] JoinInput(ReadOnlySpan<byte> body, ulong token, long index)
    {
        byte[] input = new byte[JoinInputBytes];
        body[..(2 * NonceBytes)].CopyTo(input);
        Span<byte> rest = input.AsSpan(2 * NonceBytes);
        BinaryPrimitives.WriteUInt64BigEndian(rest, token);
        BinaryPrimitives.WriteInt64BigEndian(rest[sizeof(ulong)..], index);
        BinaryPrimitives.WriteUInt64BigEndian(rest[(2 * sizeof(ulong))..], StreamOfJoin(body));
        return input;
    }
}
