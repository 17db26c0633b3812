namespace Spate;

/// <summary>The shape of a <see cref="ReceiveBatch"/>.</summary>
public sealed record ReceiveBatchOptions
{
    /// <summary>64 slots, the default if the socket does not coalesce.</summary>
    public static int DefaultSlotCount => 64;

    /// <summary>16 slots, the default on a coalescing socket.</summary>
    public static int DefaultCoalescedSlotCount => 16;

    /// <summary>65,535 bytes, the default size of a slot: it takes any datagram.</summary>
    public static int DefaultSlotBytes => 65_535;

    /// <summary>
    /// Bytes of the buffer that a slot of the default size begins with: enough for an Ethernet frame.
    /// </summary>
    internal static int FirstSlotBytes => 2048;

    /// <summary>
    /// Slots: the maximum number of buffers that one call fills, 1 to 1024 (UIO_MAXIOV). Default null: 64, or 16 on a
    /// coalescing socket, where each slot may receive a coalesced buffer of 64 datagrams. More slots exceed the CPU's
    /// cache and are slower.
    /// </summary>
    public int? SlotCount { get; init; }

    /// <summary>
    /// Bytes of a slot, 1 to 65,535; a longer datagram is cut off and flagged <see cref="Datagram.IsTruncated"/>.
    /// Default null: 65,535, so every datagram arrives whole. On a coalescing socket slots always have 65,535 bytes,
    /// because a coalesced buffer would lose its end in a smaller slot.
    /// </summary>
    /// <remarks>
    /// Memory of a batch, without coalescing. By default a slot begins with 2,048 bytes. The first longer datagram in
    /// the slot makes it grow to 64 KiB for good, unless that datagram is leased. So a batch of 64 slots takes 128 KiB,
    /// and at most 4 MiB more, or 8 MiB more if leased buffers were returned. With Uring a slot gets 64 KiB at its
    /// first datagram. Mmsg (Linux) also reserves 62 KiB of address space per slot, 4 MiB per batch. A page of this
    /// space takes memory only after a longer datagram was written to it. A longer datagram is copied when its slot
    /// grows, and the backend Portable copies every datagram into slots that have not grown. Slots of an explicit size
    /// are allocated at once, and datagrams in them are never copied. With coalescing the slots are allocated at once
    /// too: 16 of 64 KiB, 1 MiB.
    /// </remarks>
    public int? SlotBytes { get; init; }
}
