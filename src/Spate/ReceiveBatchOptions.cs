namespace Spate;

/// <summary>The shape of a <see cref="ReceiveBatch"/>.</summary>
public sealed record ReceiveBatchOptions
{
    /// <summary>64 slots, the default where receiving does not coalesce.</summary>
    public static int DefaultSlotCount => 64;

    /// <summary>16 slots, the default on a coalescing socket.</summary>
    public static int DefaultCoalescedSlotCount => 16;

    /// <summary>2,048 bytes, the default size of a slot where receiving does not coalesce.</summary>
    public static int DefaultSlotBytes => 2048;

    /// <summary>
    /// Slots, that is, buffers filled by one call: 1 to 1024 (UIO_MAXIOV). Default null: 64, or 16 on a coalescing
    /// socket, where each slot may hold a train of 64 datagrams. More slots leave the processor's cache and are slower.
    /// </summary>
    public int? SlotCount { get; init; }

    /// <summary>
    /// Bytes of a slot, 1 to 65,535; a longer datagram is cut off and flagged <see cref="Datagram.IsTruncated"/>.
    /// Default null: 2,048. On a coalescing socket slots always have 65,535, because a train that is read into less
    /// would lose its end.
    /// </summary>
    public int? SlotBytes { get; init; }
}
