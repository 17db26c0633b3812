namespace Spate.Sockets;

/// <summary>
/// The differences between receivers, fixed when a receiver is made. Code outside the backends tests one of these
/// traits and never the backend itself.
/// </summary>
internal sealed record ReceiverTraits
{
    /// <summary>
    /// The descriptor that becomes readable when something can be received. It may stay readable when nothing can be
    /// received, if receives do not always reset it.
    /// </summary>
    public required int PollDescriptor { get; init; }

    /// <summary>Whether only one thread may receive. Receives then cannot be awaited.</summary>
    public bool NeedsOneThread { get; init; }

    /// <summary>
    /// Whether the kernel hands over coalesced buffers once that is switched on
    /// (<see cref="SingleReceiver.BeginBatches"/>), so that slots need 65,535 bytes.
    /// </summary>
    public bool Coalesces { get; init; }

    /// <summary>
    /// Whether every call, from the first on, may take more datagrams than its caller's memory has room for: those that
    /// a ring has received already.
    /// </summary>
    public bool TakesSeveral { get; init; }

    /// <summary>
    /// Whether the descriptor announces only what <see cref="Receiver.PrepareToWait"/> has asked for: a poller then
    /// calls it each time it found the socket empty, and not only once.
    /// </summary>
    public bool AnnouncesOnce { get; init; }

    /// <summary>Whether a receive that does not fill the batch has emptied the socket's queue.</summary>
    public bool ShortMeansDrained { get; init; } = true;
}
