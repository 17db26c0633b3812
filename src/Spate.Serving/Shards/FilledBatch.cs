namespace Spate.Serving.Shards;

/// <summary>A batch and the local end point it was received at; a node of the stack by which it goes back.</summary>
internal sealed class FilledBatch : IDisposable
{
    public FilledBatch(ReceiveBatch batch)
    {
        Batch = batch;
        batch.IsLent = true;
    }

    /// <summary>Lent to handlers, which must not dispose it.</summary>
    public ReceiveBatch Batch { get; }

    public int LocalIndex { get; set; }

    /// <summary>Belongs to whoever has the batch, or to the stack it lies on.</summary>
    public FilledBatch? Next { get; set; }

    public void Dispose()
    {
        Batch.IsLent = false;
        Batch.Dispose();
    }
}
