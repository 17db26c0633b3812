using Spate.Gateway.Pipelines;

namespace Spate.Gateway.Packing;

/// <summary>What the handlers of all shards have in common.</summary>
/// <param name="Gateway">The options of the gateway, which are valid.</param>
/// <param name="Allowed">The prefixes that may send; null for all.</param>
/// <param name="Clock">The clock of arrivals.</param>
/// <param name="Tick">How often a handler looks at the age of its packs.</param>
internal sealed record PackHandlerOptions(
    UdpGatewayOptions Gateway, PrefixRanges? Allowed, PackClock Clock, TimeSpan Tick);
