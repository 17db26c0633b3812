namespace Spate.Gateway;

/// <summary>What a range of sequence numbers without datagrams means.</summary>
public enum GatewayFindingKind
{
    /// <summary>The default value; no finding has it.</summary>
    None = 0,

    /// <summary>The gateway has said that it dropped them, and why.</summary>
    Dropped,

    /// <summary>They are not in the stream, and the gateway had said all that it dropped: a loss.</summary>
    Missing,

    /// <summary>
    /// They are not in the stream, and no accounting message was read that would give the reason: the gateway ended
    /// first.
    /// </summary>
    Unexplained,

    /// <summary>
    /// The gateway had accepted them by its last accounting message and nothing after them was read: they were under
    /// way, or were lost with the gateway.
    /// </summary>
    Unsettled,

    /// <summary>
    /// They were not read, and messages that retention removed, or before which reading began, may have held them or
    /// the reason. That is no loss.
    /// </summary>
    CutOff,
}
