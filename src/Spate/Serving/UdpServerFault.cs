namespace Spate.Serving;

/// <summary>
/// A report of exceptions of one type that handlers threw. The server continues after each exception.
/// </summary>
public sealed record UdpServerFault
{
    /// <summary>The index of the shard whose thread threw <see cref="Exception"/>.</summary>
    public required int ShardIndex { get; init; }

    /// <summary>The latest exception of this type.</summary>
    public required Exception Exception { get; init; }

    /// <summary>The number of exceptions of this type since the last report, including this exception.</summary>
    public required long Count { get; init; }
}
