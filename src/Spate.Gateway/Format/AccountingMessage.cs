using System.Buffers.Binary;

namespace Spate.Gateway.Format;

/// <summary>
/// A statement as it was received, checked. It points into the bytes of the message and is valid as long as they are.
/// </summary>
internal readonly ref struct StatementMessage
{
    private readonly ReadOnlySpan<byte> _body;

    private StatementMessage(PackMessage message)
    {
        _body = message.Body;
        Accepted = message.FirstSequence;
        Time = message.LastTime;
        Flags = message.Flags;
    }

    /// <summary>Datagrams that the key had accepted when this was written: the next sequence number.</summary>
    public ulong Accepted { get; }

    /// <summary>When it was written. A key's clock never goes back, so a later statement has a later time.</summary>
    public long Time { get; }

    public PackFlags Flags { get; }

    public int RangeCount => (_body.Length - Statement.FixedBytes) / DroppedRange.Bytes;

    public Statement Totals => new()
    {
        Committed = UInt64At(StatementLayout.CommittedAt),
        DroppedWindowFull = UInt64At(StatementLayout.DroppedWindowFullAt),
        DroppedRefused = UInt64At(StatementLayout.DroppedRefusedAt),
        DroppedOversized = UInt64At(StatementLayout.DroppedOversizedAt),
        DroppedShutdown = UInt64At(StatementLayout.DroppedShutdownAt),
        NotAllowed = UInt64At(StatementLayout.NotAllowedAt),
        KernelDrops = UInt64At(StatementLayout.KernelDropsAt),
        KernelDropUnit = (UdpDropUnit)_body[StatementLayout.KernelDropUnitAt],
    };

    /// <summary>Checks the body of a statement.</summary>
    /// <param name="message">A message with a checked prefix, of a statement.</param>
    /// <param name="statement">The statement; the default value, which must not be used, on failure.</param>
    public static FormatFault Read(PackMessage message, out StatementMessage statement)
    {
        statement = default;

        // In 64 bits: a count of 32 bits times the bytes of a range does not fit into 32.
        ulong bytes = Statement.FixedBytes + ((ulong)message.Count * DroppedRange.Bytes);
        if (message.Count > FormatLimits.MaxRanges) return FormatFault.Statement;
        if (bytes != (ulong)message.Body.Length) return FormatFault.Statement;

        var read = new StatementMessage(message);
        if (!read.AreTotalsPossible() || !read.AreRangesPossible()) return FormatFault.Statement;
        statement = read;
        return FormatFault.None;
    }

    /// <summary>A range of dropped datagrams.</summary>
    /// <param name="index">From 0 to <see cref="RangeCount"/> - 1.</param>
    public DroppedRange Range(int index)
    {
        ReadOnlySpan<byte> range = _body.Slice(
            Statement.FixedBytes + (index * DroppedRange.Bytes), DroppedRange.Bytes);
        return new DroppedRange(
            BinaryPrimitives.ReadUInt64LittleEndian(range),
            BinaryPrimitives.ReadUInt64LittleEndian(range[StatementLayout.RangeCountAt..]),
            (GatewayDropReason)range[StatementLayout.RangeReasonAt]);
    }

    private bool AreTotalsPossible()
    {
        // Each counts datagrams that were accepted: none can be more than those.
        for (int at = StatementLayout.CommittedAt; at < StatementLayout.NotAllowedAt; at += sizeof(ulong))
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
