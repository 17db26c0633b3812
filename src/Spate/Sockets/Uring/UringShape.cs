namespace Spate.Sockets.Uring;

/// <summary>The sizes of a ring; tests make it small to exhaust it.</summary>
/// <param name="CompletionCount">The size of the completion queue, a power of two.</param>
/// <param name="FirstBuffers">Buffers at the first receive.</param>
/// <param name="MostBuffers">The largest number of buffers, a power of two.</param>
internal readonly record struct UringShape(uint CompletionCount, int FirstBuffers, int MostBuffers)
{
    /// <summary>
    /// The first buffers are enough for one or two default batches, so that one batch is filled while the other is
    /// handled. More buffers would only fall out of the CPU's cache. Each completion takes a buffer, and the completion
    /// queue has more places than there are buffers, so all completions fit.
    /// </summary>
    public static UringShape For(bool coalesced, bool isSmall = false) =>
        coalesced ? new(256, 32, 128) : isSmall ? Small : new(1024, 64, 512);

    // Small buffers cost so little that all are made at the start, and nothing is allocated under load.
    private static UringShape Small => new(1024, 256, 256);
}
