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
