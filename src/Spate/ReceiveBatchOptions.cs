namespace Spate;

/// <summary>The number and the size of the slots of a <see cref="ReceiveBatch"/>.</summary>
public sealed record ReceiveBatchOptions
{
    /// <summary>The default number of slots if the socket does not coalesce: 64.</summary>
    public static int DefaultSlotCount => 64;

    /// <summary>The default number of slots on a coalescing socket: 16.</summary>
    public static int DefaultCoalescedSlotCount => 16;

    /// <summary>The default size of a slot in bytes: 65,535, which is enough for any datagram.</summary>
    public static int DefaultSlotBytes => 65_535;

    /// <summary>
    /// The size in bytes of the first buffer of a slot with the default size: 2048, enough for an Ethernet frame.
    /// </summary>
    internal static int FirstSlotBytes => 2048;

    /// <summary>
    /// The number of slots, 1 to 1024 (UIO_MAXIOV). It is the maximum number of buffers that one call fills. Default
    /// null: 64, or 16 on a coalescing socket, where each slot may receive a coalesced buffer of up to 64 datagrams
    /// (128 from a sender on this host, since Linux 6.9). With more slots, the buffers exceed the CPU's cache and
    /// receiving is slower.
    /// </summary>
    public int? SlotCount { get; init; }

    /// <summary>
    /// The size of a slot in bytes, 1 to 65,535. A longer datagram is cut off and flagged
    /// <see cref="Datagram.IsTruncated"/>. Default null: 65,535, so every datagram arrives whole. On a coalescing
    /// socket, slots always have 65,535 bytes, because a smaller slot would cut off the end of a coalesced buffer.
    /// </summary>
    /// <remarks>
    /// Memory of a batch on a socket that does not coalesce: a slot of the default size begins with a buffer of 2,048
    /// bytes. The first longer datagram makes the slot grow to 64 KiB, and is copied then. The slot keeps this size
    /// until one of its datagrams is leased or forwarded; then it may begin again with 2,048 bytes. So a batch of 64
    /// slots takes 128 KiB at first. When the slots grow, the batch takes at most 4 MiB more, or 8 MiB more if buffers
    /// of ended leases were returned to it. With Uring a slot gets 64 KiB at its first datagram. With Mmsg (Linux) a
    /// batch also reserves 62 KiB of address space per slot, 4 MiB for 64 slots, for the ends of datagrams longer than
    /// 2,048 bytes. A page of this address space takes memory only after such a datagram was written to it. The backend
    /// Portable also copies every datagram that it receives into a slot that has not grown. Slots of an explicit size
    /// are allocated at once, and their datagrams are never copied. On a coalescing socket, all slots are also
    /// allocated at once: 16 slots of 64 KiB, 1 MiB in total.
    /// </remarks>
    public int? SlotBytes { get; init; }
}
