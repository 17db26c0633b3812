namespace Spate.Serving;

/// <summary>A batch and the local end point it was received at; a node of the stack by which it goes back.</summary>
internal sealed class FilledBatch(ReceiveBatch batch)
{
    public ReceiveBatch Batch { get; } = batch;

    public int LocalIndex { get; set; }

    /// <summary>Belongs to whoever has the batch, or to the stack it lies on.</summary>
    public FilledBatch? Next { get; set; }
}
