namespace Spate.Gateway.Reading;

/// <summary>
/// How far a stream has been read, and where it ended when reading began. AMQP does not tell where a stream ends, so
/// it is found out: a consumer that begins with the last chunk is delivered its first offset, one that begins with the
/// next message the first offset that came later, and a stream that is silent behind the former has ended.
/// </summary>
internal sealed class ReadPosition(GatewayOffset begin)
{
    // A reader whose broker has delivered nothing waits longer: it cannot tell an empty stream from a slow one.
    private const int SilenceFactor = 3;

    /// <summary>The last offset that was read; null for none.</summary>
    public ulong? Last { get; private set; }

    /// <summary>The first offset of the chunk that was the last one; null where it is not known.</summary>
    public ulong? Chunk { get; private set; }

    /// <summary>An offset that was published after reading began; null where none is known.</summary>
    public ulong? Later { get; private set; }

    /// <summary>
    /// Where to go on: with the last offset once more, which shows that the stream still has it; or where reading
    /// begins.
    /// </summary>
    public GatewayOffset Resume => Last is { } last ? GatewayOffset.At((long)last) : begin;

    /// <summary>Whether the end is certain: nothing that was there when reading began is left.</summary>
    public bool IsAtEnd => Last is { } last && Later is { } later && last + 1 >= later;

    private bool IsInLastChunk => begin.IsNext || Chunk is not { } chunk
        || (Last is { } last ? last >= chunk : (ulong?)begin.Number > chunk);

    /// <summary>Whether a stream that has been silent that long has ended.</summary>
    public bool IsSilentAtEnd(TimeSpan silence, TimeSpan quietTime) =>
        IsInLastChunk && silence >= (Chunk is null && Last is null ? SilenceFactor * quietTime : quietTime);

    /// <summary>Whether offsets are left out before this one, which happens in whole streams too.</summary>
    public bool IsBeforeJump(ulong offset) => Last is { } last && offset > last + 1;

    /// <summary>Notes an offset that is delivered. Returns false if it was read before.</summary>
    public bool TryAdvance(ulong offset)
    {
        if (Last is { } last && offset <= last) return false;
        Last = offset;
        return true;
    }

    public void FindChunk(ulong offset) => Chunk ??= offset;

    public void FindLater(ulong offset) => Later ??= offset;
}
