using System.Buffers.Binary;

namespace Spate.Gateway.Format;

/// <summary>
/// An accounting message as it was received, checked. It points into the bytes of the message and is valid as long as
/// they are.
/// </summary>
internal readonly ref struct AccountingMessage
{
    private readonly ReadOnlySpan<byte> _body;

    private AccountingMessage(PackMessage message)
    {
        _body = message.Body;
        Accepted = message.FirstSequence;
        Time = message.LastTime;
        Flags = message.Flags;
    }

    /// <summary>Datagrams that the key had accepted when this was written: the next sequence number.</summary>
    public ulong Accepted { get; }

    /// <summary>
    /// When it was written. A key's clock never goes back, so a later accounting message has a later time.
    /// </summary>
    public long Time { get; }

    public PackFlags Flags { get; }

    public int RangeCount => (_body.Length - AccountingTotals.FixedBytes) / DroppedRange.Bytes;

    public AccountingTotals Totals => new()
    {
        Committed = UInt64At(AccountingLayout.CommittedAt),
        DroppedWindowFull = UInt64At(AccountingLayout.DroppedWindowFullAt),
        DroppedRefused = UInt64At(AccountingLayout.DroppedRefusedAt),
        DroppedOversized = UInt64At(AccountingLayout.DroppedOversizedAt),
        DroppedShutdown = UInt64At(AccountingLayout.DroppedShutdownAt),
        NotAllowed = UInt64At(AccountingLayout.NotAllowedAt),
        KernelDrops = UInt64At(AccountingLayout.KernelDropsAt),
        KernelDropUnit = (UdpDropUnit)_body[AccountingLayout.KernelDropUnitAt],
    };

    /// <summary>Checks the body of an accounting message.</summary>
    /// <param name="message">A message whose prefix was checked, and says that it is an accounting message.</param>
    /// <param name="accounting">The accounting message; the default value, which must not be used, on failure.</param>
    public static FormatFault Read(PackMessage message, out AccountingMessage accounting)
    {
        accounting = default;

        // In 64 bits: a count of 32 bits times the bytes of a range does not fit into 32.
        ulong bytes = AccountingTotals.FixedBytes + ((ulong)message.Count * DroppedRange.Bytes);
        if (message.Count > FormatLimits.MaxRanges) return FormatFault.AccountingTotals;
        if (bytes != (ulong)message.Body.Length) return FormatFault.AccountingTotals;

        var read = new AccountingMessage(message);
        if (!read.AreTotalsPossible() || !read.AreRangesPossible()) return FormatFault.AccountingTotals;
        accounting = read;
        return FormatFault.None;
    }

    /// <summary>A range of dropped datagrams.</summary>
    /// <param name="index">From 0 to <see cref="RangeCount"/> - 1.</param>
    public DroppedRange Range(int index)
    {
        ReadOnlySpan<byte> range = _body.Slice(
            AccountingTotals.FixedBytes + (index * DroppedRange.Bytes), DroppedRange.Bytes);
        return new DroppedRange(
            BinaryPrimitives.ReadUInt64LittleEndian(range),
            BinaryPrimitives.ReadUInt64LittleEndian(range[AccountingLayout.RangeCountAt..]),
            (GatewayDropReason)range[AccountingLayout.RangeReasonAt]);
    }

    private bool AreTotalsPossible()
    {
        // Each counts datagrams that were accepted: none can be more than those.
        for (int at = AccountingLayout.CommittedAt; at < AccountingLayout.NotAllowedAt; at += sizeof(ulong))
        {
            if (UInt64At(at) > Accepted) return false;
        }

        return true;
    }

    private bool AreRangesPossible()
    {
        for (int i = 0; i < RangeCount; i++)
        {
            (ulong first, ulong count, GatewayDropReason reason) = Range(i);
            if (count == 0 || first >= Accepted || count > Accepted - first) return false;
            if (reason is < GatewayDropReason.WindowFull or > GatewayDropReason.Shutdown) return false;
        }

        return true;
    }

    private ulong UInt64At(int offset) => BinaryPrimitives.ReadUInt64LittleEndian(_body[offset..]);
}

/// <summary>Where the fields lie in the body of an accounting message, and in a range.</summary>
internal static class AccountingLayout
{
    public const int CommittedAt = 0;
    public const int DroppedWindowFullAt = 8;
    public const int DroppedRefusedAt = 16;
    public const int DroppedOversizedAt = 24;
    public const int DroppedShutdownAt = 32;
    public const int NotAllowedAt = 40;
    public const int KernelDropsAt = 48;
    public const int KernelDropUnitAt = 56;

    public const int RangeCountAt = 8;
    public const int RangeReasonAt = 16;
}

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

/// <summary>Datagrams that a gateway dropped, by their sequence numbers.</summary>
/// <param name="First">The first sequence number.</param>
/// <param name="Count">How many, at least 1.</param>
/// <param name="Reason">Why they were dropped; never <see cref="GatewayDropReason.NotAllowed"/>.</param>
internal readonly record struct DroppedRange(ulong First, ulong Count, GatewayDropReason Reason)
{
    /// <summary>The bytes of a range in an accounting message.</summary>
    public const int Bytes = 24;
}
