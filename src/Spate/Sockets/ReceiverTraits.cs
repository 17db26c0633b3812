namespace Spate.Sockets;

/// <summary>
/// The differences between receivers, fixed when a receiver is made. Code above the backends asks for one of these
/// traits and never for the backend.
/// </summary>
internal sealed record ReceiverTraits
{
    /// <summary>The descriptor that becomes readable when something can be received.</summary>
    public required int PollDescriptor { get; init; }

    /// <summary>
    /// Whether nobody resets <see cref="PollDescriptor"/>, so that a wait for it must be edge-triggered (EPOLLET).
    /// </summary>
    public bool PollsByEdge { get; init; }

    /// <summary>
    /// Whether the runtime reports readiness, by a receive that peeks and takes nothing, instead of a wait for a
    /// descriptor.
    /// </summary>
    public bool IsWaitedForByRuntime { get; init; }

    /// <summary>Whether one thread alone may receive, so that no receive may be awaited.</summary>
    public bool NeedsOneThread { get; init; }

    /// <summary>Whether the kernel may hand over coalesced buffers, so that slots need 65,535 bytes.</summary>
    public bool Coalesces { get; init; }

    /// <summary>
    /// Whether a call may take more from the system than its caller's memory has room for: coalesced buffers, or
    /// datagrams that a ring has received by itself.
    /// </summary>
    public bool TakesSeveral { get; init; }

    /// <summary>Whether a receive that leaves room in the batch has emptied the queue.</summary>
    public bool ShortMeansDrained { get; init; } = true;
}
