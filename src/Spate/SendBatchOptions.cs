namespace Spate;

/// <summary>The capacity and the memory of a <see cref="SendBatch"/>.</summary>
public sealed record SendBatchOptions
{
    /// <summary>The maximum number of datagrams in the batch, 1 to 65,536. Default null: 256.</summary>
    public int? Capacity { get; init; }

    /// <summary>
    /// The maximum total of payload bytes in the batch, 65,527 (the largest datagram) to 1,073,741,824. Default null:
    /// 131,072.
    /// </summary>
    public int? BufferBytes { get; init; }

    /// <summary>
    /// Whether <see cref="SendBatch.TryReserve(in UdpEndPoint, int, out Span{byte})"/> may return memory with bytes of
    /// datagrams to other peers. This saves zeroing the memory. Use it if all payloads are written completely, or if
    /// payloads are filled once and sent again and again, as a load generator does. Otherwise a reservation that is not
    /// filled sends another peer's bytes. Default false.
    /// </summary>
    public bool KeepOldBytes { get; init; }
}
