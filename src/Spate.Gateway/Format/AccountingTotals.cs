using System.Buffers.Binary;

namespace Spate.Gateway.Format;

/// <summary>
/// The totals of a key since the gateway's start, as a statement tells them. The prefix has the accepted ones.
/// <see cref="StatementMessage"/> reads statements.
/// </summary>
internal readonly record struct Statement
{
    /// <summary>The bytes of a body before its ranges.</summary>
    public const int FixedBytes = 64;

    /// <summary>Datagrams that the broker has confirmed.</summary>
    public ulong Committed { get; init; }

    public ulong DroppedWindowFull { get; init; }

    public ulong DroppedRefused { get; init; }

    public ulong DroppedOversized { get; init; }

    public ulong DroppedShutdown { get; init; }

    /// <summary>Datagrams of the shard that were kept out and have no sequence number; in partition 0 only.</summary>
    public ulong NotAllowed { get; init; }

    /// <summary>What the kernel dropped at the shard's sockets; in partition 0 only.</summary>
    public ulong KernelDrops { get; init; }

    public UdpDropUnit KernelDropUnit { get; init; }

    /// <summary>Writes the body of a statement. Returns its bytes: 64, and 24 for each range.</summary>
    /// <param name="body">Where it goes, behind the prefix.</param>
    /// <param name="ranges">The dropped ranges that no earlier statement names: at most 4,096.</param>
    public int Write(Span<byte> body, ReadOnlySpan<DroppedRange> ranges)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(ranges.Length, FormatLimits.MaxRanges, nameof(ranges));
        body = body[..(FixedBytes + (ranges.Length * DroppedRange.Bytes))];
        BinaryPrimitives.WriteUInt64LittleEndian(body[StatementLayout.CommittedAt..], Committed);
        BinaryPrimitives.WriteUInt64LittleEndian(body[StatementLayout.DroppedWindowFullAt..], DroppedWindowFull);
        BinaryPrimitives.WriteUInt64LittleEndian(body[StatementLayout.DroppedRefusedAt..], DroppedRefused);
        BinaryPrimitives.WriteUInt64LittleEndian(body[StatementLayout.DroppedOversizedAt..], DroppedOversized);
        BinaryPrimitives.WriteUInt64LittleEndian(body[StatementLayout.DroppedShutdownAt..], DroppedShutdown);
        BinaryPrimitives.WriteUInt64LittleEndian(body[StatementLayout.NotAllowedAt..], NotAllowed);
        BinaryPrimitives.WriteUInt64LittleEndian(body[StatementLayout.KernelDropsAt..], KernelDrops);

        // A byte, and seven zeros with it.
        BinaryPrimitives.WriteUInt64LittleEndian(body[StatementLayout.KernelDropUnitAt..], (byte)KernelDropUnit);
        Span<byte> rest = body[FixedBytes..];
        foreach (DroppedRange range in ranges)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(rest, range.First);
            BinaryPrimitives.WriteUInt64LittleEndian(rest[StatementLayout.RangeCountAt..], range.Count);
            BinaryPrimitives.WriteUInt64LittleEndian(rest[StatementLayout.RangeReasonAt..], (byte)range.Reason);
            rest = rest[DroppedRange.Bytes..];
        }

        return body.Length;
    }
}
