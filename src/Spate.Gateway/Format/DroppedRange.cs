namespace Spate.Gateway.Format;

/// <summary>Datagrams that a gateway dropped, by their sequence numbers.</summary>
/// <param name="First">The first sequence number.</param>
/// <param name="Count">How many, at least 1.</param>
/// <param name="Reason">Why they were dropped; never <see cref="GatewayDropReason.NotAllowed"/>.</param>
internal readonly record struct DroppedRange(ulong First, ulong Count, GatewayDropReason Reason)
{
    /// <summary>The bytes of a range in an accounting message.</summary>
    public const int Bytes = 24;
}
