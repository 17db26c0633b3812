using Spate.Serving;

namespace Spate.Hosting.Hosted;

/// <summary>The shard of a scope, so that services of the scope can ask for it.</summary>
internal sealed class ShardHolder
{
    private UdpShard? _shard;

    public UdpShard Shard
    {
        get => _shard ?? throw new InvalidOperationException(
            "A UdpShard is a service in the scope of a shard only: take it in a handler or in what its handler takes.");
        set => _shard = value;
    }
}
