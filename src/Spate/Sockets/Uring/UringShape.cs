namespace Spate.Sockets.Uring;

/// <summary>The sizes of a ring. Tests make a ring small to exhaust it.</summary>
/// <param name="CompletionCount">The size of the completion queue, a power of two.</param>
/// <param name="FirstBuffers">The number of buffers at the first receive.</param>
/// <param name="MostBuffers">The largest number of buffers, a power of two.</param>
internal readonly record struct UringShape(uint CompletionCount, int FirstBuffers, int MostBuffers)
{
    /// <summary>
    /// Returns the sizes for a socket. The first buffers are enough for one or two default batches, so that one batch
    /// is filled while the other is handled. More buffers would not stay in the CPU's cache. Each completion takes a
    /// buffer, and the completion queue has more entries than there are buffers, so all completions fit.
    /// </summary>
    public static UringShape For(bool coalesced, bool isSmall = false) =>
        coalesced ? new(256, 32, 128) : isSmall ? Small : new(1024, 64, 512);

    // The sizes for small buffers, which cost so little that the first receive makes all of them. So nothing is
    // allocated under load.
    private static UringShape Small => new(1024, 256, 256);
}
