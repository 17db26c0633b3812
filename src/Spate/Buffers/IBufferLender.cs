namespace Spate.Buffers;

/// <summary>A ring that owns the buffers it fills and lends them to batches.</summary>
internal interface IBufferLender
{
    /// <summary>The slots' buffers are free again. Any thread; after the ring's end nothing happens.</summary>
    void TakeBack(ReadOnlySpan<ReceiveSlot> slots);
}
