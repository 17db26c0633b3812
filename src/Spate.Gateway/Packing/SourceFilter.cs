namespace Spate.Gateway.Packing;

/// <summary>Which datagrams a gateway takes: by the prefix of their source, and by its rate. For one thread.</summary>
internal sealed class SourceFilter(PrefixRanges? allowed, PrefixLimiter? limiter)
{
    private UdpEndPoint _lastPeer;
    private bool _isLastAllowed;

    /// <summary>The filter of one shard; null where everything is taken.</summary>
    public static SourceFilter? Of(UdpGatewayOptions options, PrefixRanges? allowed)
    {
        if (allowed is null && options.MaxPerSecondPerPrefix is null) return null;
        PrefixLimiter? limiter = options.MaxPerSecondPerPrefix is { } perSecond
            ? new PrefixLimiter(perSecond, options.Socket.TimeProvider.TimestampFrequency)
            : null;
        return new SourceFilter(allowed, limiter);
    }

    /// <summary>Whether the datagram is taken; if so it is charged to its prefix.</summary>
    public bool Allows(in UdpEndPoint peer, long now)
    {
        // Datagrams of a GSO message come one after another, so the look-up is made once for them.
        if (allowed is not null && peer != _lastPeer)
        {
            _lastPeer = peer;
            _isLastAllowed = allowed.Contains(peer);
        }

        return (allowed is null || _isLastAllowed) && (limiter is null || limiter.TryPay(peer, now));
    }
}
