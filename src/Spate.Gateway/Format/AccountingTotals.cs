using System.Buffers.Binary;

namespace Spate.Gateway.Format;

/// <summary>
/// The totals of a key since the gateway's start, as an accounting message tells them. The prefix has the accepted
/// ones. <see cref="AccountingMessage"/> reads accounting messages.
/// </summary>
internal readonly record struct AccountingTotals
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

    /// <summary>Writes the body of an accounting message. Returns its bytes: 64, and 24 for each range.</summary>
    /// <param name="body">Where it goes, behind the prefix.</param>
    /// <param name="ranges">The dropped ranges that no earlier accounting message names: at most 4,096.</param>
    public int Write(Span<byte> body, ReadOnlySpan<DroppedRange> ranges)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(ranges.Length, FormatLimits.MaxRanges, nameof(ranges));
        body = body[..(FixedBytes + (ranges.Length * DroppedRange.Bytes))];
        BinaryPrimitives.WriteUInt64LittleEndian(body[AccountingLayout.CommittedAt..], Committed);
        BinaryPrimitives.WriteUInt64LittleEndian(
            body[AccountingLayout.DroppedWindowFullAt..], DroppedWindowFull);
        BinaryPrimitives.WriteUInt64LittleEndian(body[AccountingLayout.DroppedRefusedAt..], DroppedRefused);
        BinaryPrimitives.WriteUInt64LittleEndian(body[AccountingLayout.DroppedOversizedAt..], DroppedOversized);
        BinaryPrimitives.WriteUInt64LittleEndian(body[AccountingLayout.DroppedShutdownAt..], DroppedShutdown);
        BinaryPrimitives.WriteUInt64LittleEndian(body[AccountingLayout.NotAllowedAt..], NotAllowed);
        BinaryPrimitives.WriteUInt64LittleEndian(body[AccountingLayout.KernelDropsAt..], KernelDrops);

        // A byte, and seven zeros with it.
        BinaryPrimitives.WriteUInt64LittleEndian(body[AccountingLayout.KernelDropUnitAt..], (byte)KernelDropUnit);
        Span<byte> rest = body[FixedBytes..];
        foreach (DroppedRange range in ranges)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(rest, range.First);
            BinaryPrimitives.WriteUInt64LittleEndian(rest[AccountingLayout.RangeCountAt..], range.Count);
            BinaryPrimitives.WriteUInt64LittleEndian(rest[AccountingLayout.RangeReasonAt..], (byte)range.Reason);
            rest = rest[DroppedRange.Bytes..];
        }

        return body.Length;
    }
}
