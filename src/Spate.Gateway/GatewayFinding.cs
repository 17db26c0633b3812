namespace Spate.Gateway;

/// <summary>Consecutive sequence numbers of a key whose datagrams are not in the stream.</summary>
/// <param name="Kind">What that means.</param>
/// <param name="First">The first sequence number.</param>
/// <param name="Count">How many.</param>
/// <param name="Reason">
/// Why they were dropped; <see cref="GatewayDropReason.None"/> for other kinds than
/// <see cref="GatewayFindingKind.Dropped"/>.
/// </param>
public readonly record struct GatewayFinding(
    GatewayFindingKind Kind, ulong First, ulong Count, GatewayDropReason Reason);
