namespace Spate.Gateway.Pipelines;

/// <summary>
/// The bytes of one message and what is known about it. It belongs to the shard's thread while it is filled, and then
/// to its pipeline, under the pipeline's lock, until it is free again.
/// </summary>
internal sealed class PackBuffer(int bytes)
{
    public byte[] Bytes { get; } = GC.AllocateUninitializedArray<byte>(bytes);

    /// <summary>The bytes of the message, from the first.</summary>
    public int UsedBytes { get; set; }

    /// <summary>The datagrams in it; 0 for an accounting message.</summary>
    public int Count { get; set; }

    public int Partition { get; set; }

    /// <summary>
    /// The sequence number of the first datagram; of an accounting message, the number of those accepted.
    /// </summary>
    public ulong FirstSequence { get; set; }

    /// <summary>When the first datagram came, in nanoseconds since 1970 UTC.</summary>
    public long FirstTime { get; set; }

    /// <summary>When the last datagram came, likewise.</summary>
    public long LastTime { get; set; }

    /// <summary>Whether it is an accounting message, whose buffer lies outside of the pool.</summary>
    public bool IsAccounting { get; init; }

    /// <summary>Whether it is the accounting message that ends its key.</summary>
    public bool IsEnd { get; set; }

    /// <summary>
    /// The place among all packs of the pipeline that were ever published, from 1; 0 for not published.
    /// </summary>
    public ulong Ticket { get; set; }

    /// <summary>The time stamp of the latest publish.</summary>
    public long PublishedAt { get; set; }

    /// <summary>Whether it was published on a connection that was lost, and may be stored or not.</summary>
    public bool IsInDoubt { get; set; }

    /// <summary>Whether the broker gave back what is being published: its confirm is no commit.</summary>
    public bool IsReturned { get; set; }

    /// <summary>How many times the broker has refused or returned it.</summary>
    public int RefusalCount { get; set; }

    public ReadOnlyMemory<byte> Message => Bytes.AsMemory(0, UsedBytes);

    /// <summary>
    /// Makes it as good as new, for its next use. The message stays as it is until then: at the very end, a buffer is
    /// given back while its message may still be on its way.
    /// </summary>
    public void Reset()
    {
        Count = 0;
        IsEnd = false;
        Ticket = 0;
        IsInDoubt = false;
        IsReturned = false;
        RefusalCount = 0;
    }
}
