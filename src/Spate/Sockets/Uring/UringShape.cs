namespace Spate.Sockets.Uring;

/// <summary>The sizes of a ring; tests make it small to run it dry.</summary>
/// <param name="CompletionCount">Places for completions, a power of two.</param>
/// <param name="FirstBuffers">Buffers at the first receive.</param>
/// <param name="MostBuffers">Buffers that it may grow to, a power of two.</param>
internal readonly record struct UringShape(uint CompletionCount, int FirstBuffers, int MostBuffers)
{
    /// <summary>
    /// One or two default batches' worth of buffers at the start, so that one is filled while the other is handled:
    /// more would only leave the processor's cache. A completion takes a buffer, so they all find room.
    /// </summary>
    public static UringShape For(bool coalesced, bool isSmall = false) =>
        coalesced ? new(256, 32, 128) : isSmall ? Small : new(1024, 64, 512);

    // Small buffers cost too little to begin with few, and so nothing is allocated under load.
    private static UringShape Small => new(1024, 256, 256);
}
