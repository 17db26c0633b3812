using System.Buffers.Binary;

namespace Spate.Measurement.PathTest;

/// <summary>
/// One control datagram: a header of <see cref="HeaderBytes"/> bytes as data of version 2 has, and a body. It points
/// into the payload, and is valid as long as that is.
/// </summary>
internal readonly ref struct ControlMessage
{
    /// <summary>Bytes of the header; the body follows.</summary>
    public const int HeaderBytes = 32;

    /// <summary>
    /// The longest control datagram: what an IPv6 packet of 1280 bytes, which every link carries, has room for.
    /// </summary>
    public const int MaxBytes = 1232;

    /// <summary>The longest body.</summary>
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

    /// <summary>Nanoseconds of the sender's monotonic clock.</summary>
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

    /// <summary>Writes a header; the body belongs behind it.</summary>
    public static void WriteHeader(
        Span<byte> payload, ControlKind kind, ulong token, long number = 0, long nanoseconds = 0)
    {
        BinaryPrimitives.WriteInt64BigEndian(payload[TimeOffset..], nanoseconds);
        BinaryPrimitives.WriteInt64BigEndian(payload[NumberOffset..], number);
        BinaryPrimitives.WriteUInt64BigEndian(payload[TokenOffset..], token);
        BinaryPrimitives.WriteUInt64BigEndian(payload, Prefix | ((ulong)kind << KindShift));
    }

    /// <summary>A whole datagram.</summary>
    public static byte[] Create(
        ControlKind kind, ulong token, ReadOnlySpan<byte> body, long number = 0, long nanoseconds = 0)
    {
        byte[] payload = new byte[HeaderBytes + body.Length];
        WriteHeader(payload, kind, token, number, nanoseconds);
        body.CopyTo(payload.AsSpan(HeaderBytes));
        return payload;
    }
}
