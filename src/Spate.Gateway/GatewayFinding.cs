namespace Spate.Gateway;

/// <summary>Consecutive sequence numbers of a key whose datagrams are not in the stream.</summary>
public readonly record struct GatewayFinding
{
    /// <summary>The meaning of the gap.</summary>
    public required GatewayFindingKind Kind { get; init; }

    /// <summary>The first sequence number.</summary>
    public required long First { get; init; }

    /// <summary>The number of datagrams.</summary>
    public required long Count { get; init; }

    /// <summary>
    /// Why they were dropped; <see cref="GatewayDropReason.None"/> for other kinds than
    /// <see cref="GatewayFindingKind.Dropped"/>.
    /// </summary>
    public GatewayDropReason Reason { get; init; }
}
