namespace Spate;

/// <summary>The shape of a <see cref="ReceiveBatch"/>.</summary>
public sealed class ReceiveBatchOptions
{
    /// <summary>
    /// Slots, that is, buffers filled by one call: 1 to 1024 (UIO_MAXIOV). Default 0: 64, or 16 on a coalescing socket,
    /// where each slot may hold a train of 64 datagrams (more slots leave the processor's cache and are slower).
    /// </summary>
    public int SlotCount { get; init; }

    /// <summary>
    /// Bytes of a slot, 1 to 65,535; a longer datagram is cut off and flagged <see cref="Datagram.Truncated"/>.
    /// Default 0: 2,048.
    /// On a coalescing socket slots always have 65,535, since a train read into less would be lost.
    /// </summary>
    public int SlotBytes { get; init; }
}
