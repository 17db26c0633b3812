namespace Spate;

/// <summary>The shape of a <see cref="SendBatch"/>.</summary>
public sealed record SendBatchOptions
{
    /// <summary>The maximum number of datagrams in the batch, 1 to 65,536. Default null: 256.</summary>
    public int? Capacity { get; init; }

    /// <summary>
    /// The maximum payload bytes of all datagrams together, at least 65,527 (the largest datagram). Default null:
    /// 131,072.
    /// </summary>
    public int? BufferBytes { get; init; }
}
