using System.Buffers.Binary;
using System.Runtime.InteropServices;

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

/// <summary>The kinds of control datagrams, with their numbers on the wire; docs/protocol.md has the layouts.</summary>
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

    public void Write(Span<byte> body)
    {
        BinaryPrimitives.WriteInt64BigEndian(body, EchoNanoseconds);
        BinaryPrimitives.WriteInt64BigEndian(body[8..], HeldNanoseconds);
        BinaryPrimitives.WriteInt64BigEndian(body[16..], Sent);
        BinaryPrimitives.WriteInt64BigEndian(body[24..], Unique);
        BinaryPrimitives.WriteInt64BigEndian(body[32..], Lost);
        BinaryPrimitives.WriteInt64BigEndian(body[40..], IsStopping ? 1 : 0);
    }

    /// <summary>Reads what the other end has sent; false where it cannot be a heartbeat.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out Heartbeat heartbeat)
    {
        heartbeat = default;
        if (body.Length < Bytes) return false;

        heartbeat = new Heartbeat(
            BinaryPrimitives.ReadInt64BigEndian(body),
            BinaryPrimitives.ReadInt64BigEndian(body[8..]),
            BinaryPrimitives.ReadInt64BigEndian(body[16..]),
            BinaryPrimitives.ReadInt64BigEndian(body[24..]),
            BinaryPrimitives.ReadInt64BigEndian(body[32..]),
            (BinaryPrimitives.ReadInt64BigEndian(body[40..]) & 1) != 0);
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
