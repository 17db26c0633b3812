namespace Spate.Serving;

/// <summary>
/// What a <see cref="UdpServer"/> does with datagrams. One handler per thread of the server, made and called on that
/// thread only, so it needs no lock for what is its own. An exception that leaves a method is counted and reported
/// (<see cref="UdpServerOptions.OnFault"/>), and costs the rest of that batch and the replies composed for it. The
/// batches are the server's: to dispose one throws <see cref="InvalidOperationException"/>.
/// </summary>
/// <example><code>
/// sealed class EchoHandler : UdpHandler
/// {
///     public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
///     {
///         foreach (Datagram datagram in batch) replies.TryForward(datagram, datagram.Peer);
///     }
/// }
/// </code></example>
public abstract class UdpHandler
{
    /// <summary>Datagrams have arrived.</summary>
    /// <param name="batch">
    /// The received datagrams, valid until this method returns. Lease what must live longer.
    /// </param>
    /// <param name="replies">
    /// Empty. What is put here leaves when this method returns, by the socket that received the batch.
    /// <see cref="UdpShard.Flush"/> makes room earlier.
    /// </param>
    public abstract void OnDatagrams(ReceiveBatch batch, SendBatch replies);

    /// <summary>
    /// <see cref="UdpServerOptions.TickInterval"/> has passed, or more where the thread was busy.
    /// </summary>
    /// <param name="now">Time since the thread was started, by the server's monotonic clock.</param>
    /// <param name="replies">
    /// Leave when this method returns, by the socket of the first local end point; see
    /// <see cref="UdpShard.RepliesAt"/> for others.
    /// </param>
    public virtual void OnTick(TimeSpan now, SendBatch replies)
    {
    }

    /// <summary>The thread ends, and nothing more will arrive. What is put into the replies still leaves.</summary>
    /// <param name="replies">As in <see cref="OnTick"/>.</param>
    public virtual void OnStop(SendBatch replies)
    {
    }
}
