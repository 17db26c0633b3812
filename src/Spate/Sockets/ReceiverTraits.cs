namespace Spate.Sockets;

/// <summary>
/// In what receivers differ, fixed when the receiver is made. Everything above the backends asks for one of these and
/// never which backend it is.
/// </summary>
internal sealed record ReceiverTraits
{
    /// <summary>What becomes readable when something can be received.</summary>
    public required int PollDescriptor { get; init; }

    /// <summary>
    /// Whether nobody resets <see cref="PollDescriptor"/>, so that it must be waited for by edge (EPOLLET).
    /// </summary>
    public bool PollsByEdge { get; init; }

    /// <summary>
    /// Whether the runtime tells of readiness, by a receive that looks and takes nothing, and no descriptor is waited
    /// for.
    /// </summary>
    public bool IsWaitedForByRuntime { get; init; }

    /// <summary>Whether one thread alone may receive, so that no receive may be awaited.</summary>
    public bool NeedsOneThread { get; init; }

    /// <summary>Whether the kernel may hand over coalesced buffers, so that slots need 65,535 bytes.</summary>
    public bool Coalesces { get; init; }

    /// <summary>
    /// Whether a call may take more from the system than its caller's memory can hold: coalesced buffers, or what a
    /// ring has received by itself.
    /// </summary>
    public bool TakesSeveral { get; init; }

    /// <summary>Whether a receive that brings less than there was room for has met the end.</summary>
    public bool ShortMeansDrained { get; init; } = true;
}
