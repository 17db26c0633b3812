namespace Spate.Backends.Uring;

/// <summary>The sizes of a ring; tests make it small to run it dry.</summary>
/// <param name="CompletionCount">Places for completions, a power of two.</param>
/// <param name="FirstBuffers">Buffers at the start.</param>
/// <param name="MostBuffers">Buffers that it may grow to.</param>
internal readonly record struct UringShape(uint CompletionCount, int FirstBuffers, int MostBuffers)
{
    /// <summary>
    /// Two default batches' worth of buffers at the start, so that one is filled while the other is handled: more would
    /// only leave the processor's cache. Completions for every buffer that there may be.
    /// </summary>
    public static UringShape For(bool coalesced) => new(
        ProvidedBuffers.EntryCountMax, coalesced ? 32 : 128, ProvidedBuffers.EntryCountMax);
}
