namespace Spate.Sockets.Rio;

/// <summary>The sizes of a socket's registered memory. Tests make it small to exhaust it.</summary>
/// <param name="SlotCount">
/// The number of receives that are posted, and so of the datagrams that may come between two calls.
/// </param>
/// <param name="PayloadBytes">The longest payload that a slot can take.</param>
internal readonly record struct RioShape(int SlotCount, int PayloadBytes)
{
    private const int MaxPayloadBytes = 65_535;
    private const int MinSlotCount = 64;
    private const int MaxSlotCount = 1024;
    private const int MaxBytes = 16 << 20;

    /// <summary>
    /// Returns the sizes for a socket: 256 slots for any payload, or up to 1024 slots of the payload that is known. The
    /// physical pages stay locked, so the sum is bounded; and no further datagram has a place while all slots are full.
    /// </summary>
    /// <param name="knownPayloadBytes">The longest payload of the socket's batches, or null.</param>
    public static RioShape For(int? knownPayloadBytes)
    {
        int payloadBytes = knownPayloadBytes ?? MaxPayloadBytes;
        return new RioShape(Math.Clamp(MaxBytes / (payloadBytes + 1), MinSlotCount, MaxSlotCount), payloadBytes);
    }
}
