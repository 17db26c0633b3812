using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Spate.Measurement.PathTest;

/// <summary>What both ends tell each other several times a second, which is the body of a heartbeat.</summary>
/// <param name="EchoNanoseconds">When the newest heartbeat that arrived was sent, by its sender; 0 for none.</param>
/// <param name="HeldNanoseconds">How long ago it arrived.</param>
/// <param name="Sent">Datagrams that this end has sent.</param>
/// <param name="Unique">Different datagrams that have arrived at this end.</param>
/// <param name="Lost">How many are missing among them.</param>
/// <param name="IsStopping">The other end is to stop sending.</param>
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

    /// <summary>The round trip that the heartbeat completes; null where it tells of none.</summary>
    /// <param name="nowNanoseconds">When it arrived.</param>
    public long? RoundTrip(long nowNanoseconds) =>
        EchoNanoseconds > 0 && EchoNanoseconds <= nowNanoseconds
        && HeldNanoseconds <= nowNanoseconds - EchoNanoseconds
            ? nowNanoseconds - EchoNanoseconds - HeldNanoseconds
            : null;
}
