using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Spate.Measurement.Accounting;

/// <summary>
/// The header that numbers a datagram, so that its receiver can tell exactly what was lost, duplicated and reordered.
/// It takes the first <see cref="HeaderBytes"/> bytes of the payload, every field big endian: at 0 the magic (4 bytes),
/// at 4 the version (1), at 5 the kind (1), at 6 zero (2), at 8 the stream (8), at 16 the sequence (8).
/// </summary>
/// <param name="Kind">The kind; never <see cref="TestDatagramKind.Other"/>.</param>
/// <param name="StreamId">Chosen at random by the sender for each flow, see <see cref="NewStreamId"/>.</param>
/// <param name="Sequence">
/// For data the number of this datagram, from 0; for an announcement the number of datagrams sent.
/// </param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct TestDatagram(TestDatagramKind Kind, ulong StreamId, long Sequence)
{
    /// <summary>Bytes that the header takes; a shorter payload cannot be numbered.</summary>
    public const int HeaderBytes = 24;

    /// <summary>
    /// The largest sequence and the largest total, 2^62 - 1. No sender counts so far, and the difference of two
    /// sequences cannot overflow. A header with a larger number is not a test header.
    /// </summary>
    public const long MaxSequence = (1L << 62) - 1;

    private const int StreamIdOffset = 8;
    private const int SequenceOffset = 16;

    // The first eight bytes are compared as a whole: a foreign payload passes by accident once in 2^63 random ones.
    // No byte of the magic is ASCII and the whole is not valid UTF-8, so no text protocol begins with it.
    private const ulong DataPrefix = 0xD7_93_F4_B8_01_01_00_00;
    private const ulong EndPrefix = 0xD7_93_F4_B8_01_02_00_00;

    // The kind is 4 and not 3, so that one flipped bit cannot turn a prefix into another one.
    private const ulong TotalPrefix = 0xD7_93_F4_B8_01_04_00_00;

    /// <summary>A stream id that cannot be guessed, so that nobody off the path can spoil a measurement.</summary>
    public static ulong NewStreamId()
    {
        Span<byte> random = stackalloc byte[sizeof(ulong)];
        RandomNumberGenerator.Fill(random);
        return BinaryPrimitives.ReadUInt64LittleEndian(random);
    }

    /// <summary>Numbers a datagram in place. The rest of the payload is left as it is.</summary>
    /// <param name="payload">At least <see cref="HeaderBytes"/> bytes.</param>
    /// <param name="streamId">The flow's stream.</param>
    /// <param name="sequence">The datagram's number in its stream, from 0 to <see cref="MaxSequence"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The payload is too short.</exception>
    public static void WriteData(Span<byte> payload, ulong streamId, long sequence) =>
        Write(payload, DataPrefix, streamId, sequence);

    /// <summary>
    /// Announces the end of a stream. Sent several times, since each copy may be lost; receivers count it once.
    /// </summary>
    /// <param name="payload">At least <see cref="HeaderBytes"/> bytes.</param>
    /// <param name="streamId">The flow's stream.</param>
    /// <param name="total">How many datagrams were sent, from 0 to <see cref="MaxSequence"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The payload is too short.</exception>
    public static void WriteEnd(Span<byte> payload, ulong streamId, long total) =>
        Write(payload, EndPrefix, streamId, total);

    /// <summary>
    /// Announces how many datagrams too small for a header were sent. Sent several times, since each copy may be lost;
    /// receivers count it once.
    /// </summary>
    /// <param name="payload">At least <see cref="HeaderBytes"/> bytes.</param>
    /// <param name="streamId">The flow's stream, which the datagrams themselves could not name.</param>
    /// <param name="total">How many datagrams were sent, from 0 to <see cref="MaxSequence"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The payload is too short.</exception>
    public static void WriteTotal(Span<byte> payload, ulong streamId, long total) =>
        Write(payload, TotalPrefix, streamId, total);

    /// <summary>
    /// Reads the header of a payload that anyone may have sent. Returns false, with
    /// <see cref="TestDatagramKind.Other"/>, for everything that this version did not write.
    /// </summary>
    /// <param name="payload">The whole payload; what follows the header is not looked at.</param>
    /// <param name="datagram">The header.</param>
    public static bool TryRead(ReadOnlySpan<byte> payload, out TestDatagram datagram)
    {
        if (payload.Length >= HeaderBytes)
        {
            ulong prefix = BinaryPrimitives.ReadUInt64BigEndian(payload);
            ulong sequence = BinaryPrimitives.ReadUInt64BigEndian(payload[SequenceOffset..]);
            if (prefix is DataPrefix or EndPrefix or TotalPrefix && sequence <= MaxSequence)
            {
                TestDatagramKind kind = prefix == DataPrefix ? TestDatagramKind.Data
                    : prefix == EndPrefix ? TestDatagramKind.End : TestDatagramKind.Total;
                ulong streamId = BinaryPrimitives.ReadUInt64BigEndian(payload[StreamIdOffset..]);
                datagram = new TestDatagram(kind, streamId, (long)sequence);
                return true;
            }
        }

        datagram = default;
        return false;
    }

    private static void Write(Span<byte> payload, ulong prefix, ulong streamId, long sequence)
    {
        BinaryPrimitives.WriteInt64BigEndian(payload[SequenceOffset..], sequence);
        BinaryPrimitives.WriteUInt64BigEndian(payload[StreamIdOffset..], streamId);
        BinaryPrimitives.WriteUInt64BigEndian(payload, prefix);
    }
}
