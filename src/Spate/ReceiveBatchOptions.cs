namespace Spate;

/// <summary>The shape of a <see cref="ReceiveBatch"/>.</summary>
public sealed record ReceiveBatchOptions
{
    /// <summary>64 slots, the default where receiving does not coalesce.</summary>
    public static int DefaultSlotCount => 64;

    /// <summary>16 slots, the default on a coalescing socket.</summary>
    public static int DefaultCoalescedSlotCount => 16;

    /// <summary>65,535 bytes, the default size of a slot: it takes any datagram.</summary>
    public static int DefaultSlotBytes => 65_535;

    /// <summary>The buffer that a slot of the default size begins with: it holds a frame of Ethernet.</summary>
    internal static int FirstSlotBytes => 2048;

    /// <summary>
    /// Slots, that is, buffers filled by one call: 1 to 1024 (UIO_MAXIOV). Default null: 64, or 16 on a coalescing
    /// socket, where each slot may hold 64 coalesced datagrams. More slots leave the processor's cache and are slower.
    /// </summary>
    public int? SlotCount { get; init; }

    /// <summary>
    /// Bytes of a slot, 1 to 65,535; a longer datagram is cut off and flagged <see cref="Datagram.IsTruncated"/>.
    /// Default null: 65,535, so every datagram arrives whole. On a coalescing socket slots always have 65,535, because
    /// a coalesced buffer that is read into less would lose its end.
    /// </summary>
    /// <remarks>
    /// Memory of a batch, without coalescing. By default a slot begins with 2,048 bytes, and gets 64 KiB when the first
    /// longer datagram lands in it, for good unless that datagram is leased: a batch of 64 slots takes 128 KiB, at most
    /// 4 MiB more, or 8 MiB if leased buffers came back. With Uring a slot gets 64 KiB at its first datagram. Mmsg
    /// (Linux) also reserves 62 KiB of address space a slot, 4 MiB a batch, in which only pages that a longer datagram
    /// was written to take memory. A longer datagram is copied when its slot grows, and the backend Portable copies
    /// every datagram into slots that have not grown. A size that is set is allocated at once and never copied. With
    /// coalescing the slots are allocated at once too: 16 of 64 KiB, 1 MiB.
    /// </remarks>
    public int? SlotBytes { get; init; }
}
