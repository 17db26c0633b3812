namespace Spate;

/// <summary>The shape of a <see cref="SendBatch"/>.</summary>
public sealed record SendBatchOptions
{
    /// <summary>Datagrams the batch can hold: 1 to 65,536. Default null: 256.</summary>
    public int? Capacity { get; init; }

    /// <summary>
    /// Bytes all datagrams together can hold, at least 65,527 (the largest datagram). Default null: 131,072.
    /// </summary>
    public int? BufferBytes { get; init; }
}
