using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;
using Spate.Measurement.Counting;

namespace Spate.Measurement.PathTest;

/// <summary>
/// One control datagram: a header of <see cref="HeaderBytes"/> bytes as data of version 2 has, and a body. It points
/// into the payload, and is valid as long as that is.
/// </summary>
internal readonly ref struct ControlMessage
{
    public const int HeaderBytes = 32;

    /// <summary>What an IPv6 packet of 1280 bytes, which every link carries, has room for.</summary>
    public const int MaxBytes = 1232;

    public const int MaxBodyBytes = MaxBytes - HeaderBytes;

    private const int TokenOffset = 8;
    private const int NumberOffset = 16;
    private const int TimeOffset = 24;

    // The magic of all test datagrams, and version 2; the kind and the flags, which are zero, follow.
    private const ulong Prefix = 0xD7_93_F4_B8_02_00_00_00;
    private const ulong PrefixMask = 0xFF_FF_FF_FF_FF_00_FF_FF;
    private const int KindShift = 16;

    public ControlKind Kind { get; private init; }

    /// <summary>The test; 0 before it has been accepted.</summary>
    public ulong Token { get; private init; }

    /// <summary>A flow, a part or a count, as the kind says; never negative.</summary>
    public long Number { get; private init; }

    public long Nanoseconds { get; private init; }

    public ReadOnlySpan<byte> Body { get; private init; }

    /// <summary>Reads what anyone may have sent; false for everything that is no control datagram.</summary>
    public static bool TryRead(ReadOnlySpan<byte> payload, out ControlMessage message)
    {
        message = default;
        if (payload.Length is < HeaderBytes or > MaxBytes) return false;

        ulong prefix = BinaryPrimitives.ReadUInt64BigEndian(payload);
        var kind = (ControlKind)(byte)(prefix >> KindShift);
        long number = BinaryPrimitives.ReadInt64BigEndian(payload[NumberOffset..]);
        if ((prefix & PrefixMask) != Prefix || kind is < ControlKind.Hello or > ControlKind.Bye || number < 0)
        {
            return false;
        }

        message = new ControlMessage
        {
            Kind = kind,
            Token = BinaryPrimitives.ReadUInt64BigEndian(payload[TokenOffset..]),
            Number = number,
            Nanoseconds = BinaryPrimitives.ReadInt64BigEndian(payload[TimeOffset..]),
            Body = payload[HeaderBytes..],
        };
        return true;
    }

    public static void WriteHeader(
        Span<byte> payload, ControlKind kind, ulong token, long number = 0, long nanoseconds = 0)
    {
        BinaryPrimitives.WriteInt64BigEndian(payload[TimeOffset..], nanoseconds);
        BinaryPrimitives.WriteInt64BigEndian(payload[NumberOffset..], number);
        BinaryPrimitives.WriteUInt64BigEndian(payload[TokenOffset..], token);
        BinaryPrimitives.WriteUInt64BigEndian(payload, Prefix | ((ulong)kind << KindShift));
    }

    public static byte[] Create(
        ControlKind kind, ulong token, ReadOnlySpan<byte> body, long number = 0, long nanoseconds = 0)
    {
        byte[] payload = new byte[HeaderBytes + body.Length];
        WriteHeader(payload, kind, token, number, nanoseconds);
        body.CopyTo(payload.AsSpan(HeaderBytes));
        return payload;
    }
}

/// <summary>The kinds of control datagrams, with their numbers on the wire (docs/measure/protocol.md).</summary>
internal enum ControlKind : byte
{
    /// <summary>Client: asks for a challenge. It is padded, so that the answer is not larger.</summary>
    Hello = 0x10,

    /// <summary>Server: a cookie for the address from which the hello came.</summary>
    Challenge = 0x11,

    /// <summary>Client: the cookie, and the test that is asked for.</summary>
    Request = 0x12,

    /// <summary>Server: the test's token, and the test as it is granted.</summary>
    Accept = 0x13,

    /// <summary>Server: why there is no test.</summary>
    Refuse = 0x14,

    /// <summary>Client: the cookie of a flow's address, and the flow's number.</summary>
    Join = 0x15,

    /// <summary>Server: the flow is open.</summary>
    Joined = 0x16,

    /// <summary>Client: all flows are open, and its receivers run.</summary>
    Start = 0x17,

    /// <summary>Server: its receivers run; its senders send.</summary>
    Started = 0x18,

    /// <summary>Both: the times and counts of this moment.</summary>
    Heartbeat = 0x19,

    /// <summary>Both: how many datagrams each flow has sent, now that it sends no more.</summary>
    Finish = 0x1A,

    /// <summary>Both: the other end's finish has arrived.</summary>
    FinishAcknowledged = 0x1B,

    /// <summary>Client: asks for parts of the server's report.</summary>
    Fetch = 0x1C,

    /// <summary>Server: one part of its report.</summary>
    Part = 0x1D,

    /// <summary>Client: the test is over.</summary>
    Bye = 0x1E,
}

/// <summary>What both ends tell each other several times a second, which is the body of a heartbeat.</summary>
/// <param name="EchoNanoseconds">When the newest heartbeat that arrived was sent, by its sender; 0 for none.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct Heartbeat(
    long EchoNanoseconds, long HeldNanoseconds, long Sent, long Unique, long Lost, bool IsStopping)
{
    public const int Bytes = 6 * sizeof(long);

    public void Write(Span<byte> body) => BodyNumbers.Write(
        body, [EchoNanoseconds, HeldNanoseconds, Sent, Unique, Lost, IsStopping ? 1 : 0]);

    /// <summary>Reads what the other end has sent; false where it cannot be a heartbeat.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out Heartbeat heartbeat)
    {
        heartbeat = default;
        if (body.Length < Bytes) return false;

        Span<long> numbers = stackalloc long[Bytes / sizeof(long)];
        BodyNumbers.Read(body, numbers);
        heartbeat = new Heartbeat(
            numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], IsStopping: (numbers[5] & 1) != 0);
        return heartbeat is
        { EchoNanoseconds: >= 0, HeldNanoseconds: >= 0, Sent: >= 0, Unique: >= 0, Lost: >= 0 };
    }

    /// <summary>Null where the heartbeat tells of none.</summary>
    public long? RoundTrip(long nowNanoseconds) =>
        EchoNanoseconds > 0 && EchoNanoseconds <= nowNanoseconds
        && HeldNanoseconds <= nowNanoseconds - EchoNanoseconds
            ? nowNanoseconds - EchoNanoseconds - HeldNanoseconds
            : null;
}

/// <summary>Writes and reads the numbers of a body, each in eight bytes.</summary>
internal static class BodyNumbers
{
    public static void Write(Span<byte> body, ReadOnlySpan<long> numbers)
    {
        for (int i = 0; i < numbers.Length; i++)
        {
            BinaryPrimitives.WriteInt64BigEndian(body[(i * sizeof(long))..], numbers[i]);
        }
    }

    public static void Read(ReadOnlySpan<byte> body, Span<long> numbers)
    {
        for (int i = 0; i < numbers.Length; i++)
        {
            numbers[i] = BinaryPrimitives.ReadInt64BigEndian(body[(i * sizeof(long))..]);
        }
    }

    public static byte[] Of(params ReadOnlySpan<long> numbers)
    {
        byte[] body = new byte[numbers.Length * sizeof(long)];
        Write(body, numbers);
        return body;
    }
}

/// <summary>Writes and parses the bodies of the handshake's messages (docs/measure/protocol.md).</summary>
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
        byte[] body = [.. nonce, .. cookie, .. new byte[TestKey.TagBytes], version, .. parameters];
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
        byte[] body = [.. nonce, .. new byte[TestKey.TagBytes], version, .. parameters];
        TestKey.Write(key, AcceptName, AcceptInput(body, token), body.AsSpan(NonceBytes));
        return body;
    }

    public static bool IsAcceptRight(ReadOnlySpan<byte> body, ulong token, TestKey? key) =>
        TestKey.IsRight(key, AcceptName, AcceptInput(body, token), body.Slice(NonceBytes, TestKey.TagBytes));

    /// <summary>Nonce, cookie, tag, the stream of the client's datagrams.</summary>
    public static byte[] Join(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> cookie, ulong token, long index, ulong stream, TestKey? key)
    {
        byte[] body = [.. nonce, .. cookie, .. new byte[TestKey.TagBytes], .. BodyNumbers.Of((long)stream)];
        TestKey.Write(key, JoinName, JoinInput(body, token, index), body.AsSpan(TagOffset));
        return body;
    }

    public static bool IsJoinRight(ReadOnlySpan<byte> body, ulong token, long index, TestKey? key) =>
        TestKey.IsRight(key, JoinName, JoinInput(body, token, index), TagOf(body));

    public static ulong StreamOfJoin(ReadOnlySpan<byte> body) =>
        BinaryPrimitives.ReadUInt64BigEndian(body[(TagOffset + TestKey.TagBytes)..]);

    /// <summary>Nonce, the stream of the server's datagrams.</summary>
    public static byte[] Joined(ReadOnlySpan<byte> nonce, ulong stream) =>
        [.. nonce, .. BodyNumbers.Of((long)stream)];

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

    private static byte[] AcceptInput(ReadOnlySpan<byte> body, ulong token) =>
        [.. body[..NonceBytes], .. BodyNumbers.Of((long)token), .. body[(AcceptBytes - 1)..]];

    private static byte[] JoinInput(ReadOnlySpan<byte> body, ulong token, long index) =>
        [.. body[..(2 * NonceBytes)], .. BodyNumbers.Of((long)token, index, (long)StreamOfJoin(body))];
}
