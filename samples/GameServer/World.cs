/// <summary>What the shards of the game share: each one's part of the state, and the ids that were given.</summary>
internal sealed class World(int shardCount)
{
    private readonly byte[][] _parts = [.. Enumerable.Repeat(Array.Empty<byte>(), shardCount)];
    private int _joinedCount;

    public int ShardCount => _parts.Length;

    public int JoinedCount => Volatile.Read(ref _joinedCount);

    public int TakeId() => Interlocked.Increment(ref _joinedCount);

    // A part is never changed once it is here, so that other threads may read it without a lock.
    public void Publish(int shardIndex, byte[] part) => Volatile.Write(ref _parts[shardIndex], part);

    /// <summary>The newest part of a shard; empty before its first tick.</summary>
    public ReadOnlySpan<byte> ReadPart(int shardIndex) => Volatile.Read(ref _parts[shardIndex]);
}

/// <summary>A player as its shard keeps it, in place in the table of sessions.</summary>
internal struct Player
{
    public int Id;
    public short X;
    public short Y;
}
