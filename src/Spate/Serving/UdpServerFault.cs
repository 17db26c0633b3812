namespace Spate.Serving;

/// <summary>Exceptions of one kind that a handler threw. The server goes on after each.</summary>
public sealed record UdpServerFault
{
    /// <summary>The shard on whose thread the exception was thrown.</summary>
    public required int ShardIndex { get; init; }

    /// <summary>The last exception of this kind.</summary>
    public required Exception Exception { get; init; }

    /// <summary>How many exceptions of this kind there were since the last report, this one included.</summary>
    public required long Count { get; init; }
}
