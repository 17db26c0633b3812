using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Spate.Measurement.Counting;

/// <summary>
/// The header that numbers a datagram, so that its receiver can tell exactly what was lost, duplicated and reordered.
/// Every field is big endian. Version 1 takes the first <see cref="HeaderBytes"/> bytes of the payload: at 0 the magic
/// (4 bytes), at 4 the version (1), at 5 the kind (1), at 6 the flags (2), at 8 the stream (8), at 16 the sequence (8).
/// Version 2 has the same fields at the same places, and at 24 the time of sending (8). See docs/measure/protocol.md.
/// </summary>
/// <param name="Kind">The kind; <see cref="TestDatagramKind.Unknown"/> and other kinds have no further field.</param>
/// <param name="Sequence">Of data its number, from 0; else the number of datagrams sent.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct TestDatagram(TestDatagramKind Kind, ulong StreamId, long Sequence)
{
    /// <summary>Bytes that a header of version 1 takes; a shorter payload cannot be numbered.</summary>
    public const int HeaderBytes = 24;

    /// <summary>Bytes that a header of version 2 takes; a shorter payload has no time of sending.</summary>
    public const int TimedHeaderBytes = 32;

    public const int ChecksummedHeaderBytes = 36;

    /// <summary>
    /// The largest sequence, the largest total and the largest time, 2^62 - 1. No sender counts so far, and the
    /// difference of two of them cannot overflow. A header with a larger number is not a test header.
    /// </summary>
    public const long MaxSequence = (1L << 62) - 1;

    /// <summary>
    /// The first four bytes of every datagram of this protocol, of all versions and kinds. No byte is ASCII and the
    /// whole is not valid UTF-8, so no text protocol begins with it.
    /// </summary>
    internal const uint Magic = 0xD7_93_F4_B8;

    internal const byte MaxVersion = 2;

    private const int StreamIdOffset = 8;
    private const int SequenceOffset = 16;
    private const int SentOffset = 24;
    private const int ChecksumOffset = 32;
    private const int FlagsEnd = 8;

    // The first eight bytes as one number: the magic, the version, the kind and the flags.
    private const ulong Version1 = ((ulong)Magic << 32) | (1UL << 24);
    private const ulong Version2 = ((ulong)Magic << 32) | (2UL << 24);
    private const ulong KindMask = 0xFFUL << 16;
    private const byte ChecksumFlag = 1;

    // The kind of a total is 4 and not 3, so that one flipped bit cannot turn a kind into another one.
    private const ulong DataKind = 1UL << 16;
    private const ulong EndKind = 2UL << 16;
    private const ulong TotalKind = 4UL << 16;

    /// <summary>Of the sender's monotonic clock, taken once per send call; 0 in version 1, which has no time.</summary>
    public long SentNanoseconds { get; init; }

    public bool HasChecksum { get; init; }

    /// <summary>A stream id that cannot be guessed, so that nobody off the path can spoil a measurement.</summary>
    public static ulong NewStreamId() => SystemRandom.NextUInt64();

    /// <summary>In version 2 where it fits; the size is at least <see cref="HeaderBytes"/>.</summary>
    public static int HeaderBytesOf(int sizeBytes) => sizeBytes >= TimedHeaderBytes ? TimedHeaderBytes : HeaderBytes;

    internal static byte VersionOf(int sizeBytes) => (byte)(sizeBytes >= TimedHeaderBytes ? 2 : 1);

    /// <summary>Called last: CRC-32C of the payload, with the checksum's own bytes as zero.</summary>
    public static void WriteChecksum(Span<byte> payload)
    {
        payload[FlagsEnd - 1] |= ChecksumFlag;
        BinaryPrimitives.WriteUInt32BigEndian(payload[ChecksumOffset..], ChecksumOf(payload));
    }

    public static bool HasRightChecksum(ReadOnlySpan<byte> payload) =>
        TryRead(payload, out TestDatagram datagram) && datagram.HasChecksum
        && BinaryPrimitives.ReadUInt32BigEndian(payload[ChecksumOffset..]) == ChecksumOf(payload);

    /// <summary>In version 1; the rest of the payload is left as it is.</summary>
    public static void WriteData(Span<byte> payload, ulong streamId, long sequence) =>
        Write(payload, Version1 | DataKind, streamId, sequence);

    /// <summary>In version 2 where there is room for the time, else in version 1. The rest is left as it is.</summary>
    public static void WriteData(Span<byte> payload, ulong streamId, long sequence, long sentNanoseconds) =>
        Write(payload, DataKind, streamId, sequence, sentNanoseconds);

    /// <summary>In version 1. Sent several times, since each copy may be lost; receivers count it once.</summary>
    public static void WriteEnd(Span<byte> payload, ulong streamId, long total) =>
        Write(payload, Version1 | EndKind, streamId, total);

    /// <summary>In the version of the data. As long as <see cref="HeaderBytesOf"/> the data's size.</summary>
    public static void WriteEnd(Span<byte> payload, ulong streamId, long total, long sentNanoseconds) =>
        Write(payload, EndKind, streamId, total, sentNanoseconds);

    /// <summary>
    /// Announces how many datagrams too small for a header were sent, in version 1. Sent several times, since each copy
    /// may be lost; receivers count it once. The datagrams themselves could not name the stream.
    /// </summary>
    public static void WriteTotal(Span<byte> payload, ulong streamId, long total) =>
        Write(payload, Version1 | TotalKind, streamId, total);

    /// <summary>
    /// Reads the header of a payload that anyone may have sent. Returns false for everything that is not one of the
    /// three kinds: with <see cref="TestDatagramKind.Unknown"/> if the payload begins with the magic, otherwise with
    /// <see cref="TestDatagramKind.Other"/>. What follows the header is not looked at.
    /// </summary>
    public static bool TryRead(ReadOnlySpan<byte> payload, out TestDatagram datagram)
    {
        if (payload.Length >= HeaderBytes)
        {
            ulong prefix = BinaryPrimitives.ReadUInt64BigEndian(payload);
            ulong sequence = BinaryPrimitives.ReadUInt64BigEndian(payload[SequenceOffset..]);
            ulong version = prefix & ~KindMask;
            bool hasChecksum = version == (Version2 | ChecksumFlag) && payload.Length >= ChecksummedHeaderBytes;
            bool isTimed = hasChecksum || (version == Version2 && payload.Length >= TimedHeaderBytes);
            ulong sent = isTimed ? BinaryPrimitives.ReadUInt64BigEndian(payload[SentOffset..]) : 0;
            TestDatagramKind kind = KindOf(prefix);
            if ((isTimed || version == Version1)
                && kind != TestDatagramKind.Unknown && sequence <= MaxSequence && sent <= MaxSequence)
            {
                ulong streamId = BinaryPrimitives.ReadUInt64BigEndian(payload[StreamIdOffset..]);
                datagram = new TestDatagram(kind, streamId, (long)sequence)
                {
                    SentNanoseconds = (long)sent,
                    HasChecksum = hasChecksum,
                };
                return true;
            }
        }

        bool isOurs = BinaryPrimitives.TryReadUInt32BigEndian(payload, out uint magic) && magic == Magic;
        datagram = new TestDatagram(isOurs ? TestDatagramKind.Unknown : TestDatagramKind.Other, 0, 0);
        return false;
    }

    /// <summary>With verification, a checksum must be right, and data must have one.</summary>
    internal static TestDatagramKind Classify(ReadOnlySpan<byte> payload, bool verify, out TestDatagram datagram)
    {
        if (!TryRead(payload, out datagram) || !verify) return datagram.Kind;
        if (!datagram.HasChecksum && datagram.Kind != TestDatagramKind.Data) return datagram.Kind;
        return HasRightChecksum(payload) ? datagram.Kind : TestDatagramKind.Corrupted;
    }

    private static uint ChecksumOf(ReadOnlySpan<byte> payload)
    {
        uint state = Checksum.Add(Checksum.Begin, payload[..ChecksumOffset]);
        state = Checksum.Add(state, [0, 0, 0, 0]);
        return Checksum.End(Checksum.Add(state, payload[ChecksummedHeaderBytes..]));
    }

    private static TestDatagramKind KindOf(ulong prefix) => (prefix & KindMask) switch
    {
        DataKind => TestDatagramKind.Data,
        EndKind => TestDatagramKind.End,
        TotalKind => TestDatagramKind.Total,
        _ => TestDatagramKind.Unknown,
    };

    private static void Write(Span<byte> payload, ulong kind, ulong streamId, long sequence, long sentNanoseconds)
    {
        bool isTimed = payload.Length >= TimedHeaderBytes;
        if (isTimed) BinaryPrimitives.WriteInt64BigEndian(payload[SentOffset..], sentNanoseconds);
        Write(payload, (isTimed ? Version2 : Version1) | kind, streamId, sequence);
    }

    private static void Write(Span<byte> payload, ulong prefix, ulong streamId, long sequence)
    {
        BinaryPrimitives.WriteInt64BigEndian(payload[SequenceOffset..], sequence);
        BinaryPrimitives.WriteUInt64BigEndian(payload[StreamIdOffset..], streamId);
        BinaryPrimitives.WriteUInt64BigEndian(payload, prefix);
    }
}

/// <summary>What a received payload is to the measurement.</summary>
internal enum TestDatagramKind
{
    /// <summary>Not a test datagram: another program's payload, or too short for the header.</summary>
    Other = 0,

    Data = 1,

    /// <summary>The announcement that a stream is over and how many datagrams it had. It is not data.</summary>
    End = 2,

    /// <summary>The announcement of how many datagrams without a header a sender sent. It is not data.</summary>
    Total = 3,

    /// <summary>
    /// The payload begins with the magic of a test datagram, but is neither data nor an announcement of a version known
    /// here, or a field is out of its range: it is control of a test, a newer program sent it, or it was damaged.
    /// </summary>
    Unknown = 4,

    /// <summary>The checksum is wrong, or missing though it was to be verified: no number can be trusted.</summary>
    Corrupted = 5,
}

/// <summary>CRC-32C (Castagnoli, RFC 3720, 12.1), which processors compute eight bytes at a time.</summary>
internal static class Checksum
{
    public const uint Begin = uint.MaxValue;

    public static uint Add(uint state, ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes);
        foreach (ulong word in words)
        {
            // The bytes in the order of memory, as the processor's instruction takes them.
            state = BitOperations.Crc32C(state, BitConverter.IsLittleEndian ? word : Swapped(word));
        }

        foreach (byte rest in bytes[(words.Length * sizeof(ulong))..])
        {
            state = BitOperations.Crc32C(state, rest);
        }

        return state;
    }

    public static uint End(uint state) => ~state;

    private static ulong Swapped(ulong word) => System.Buffers.Binary.BinaryPrimitives.ReverseEndianness(word);
}
