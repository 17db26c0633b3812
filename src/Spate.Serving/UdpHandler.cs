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
    /// <param name="batch">They; valid until this returns. Lease what must live longer.</param>
    /// <param name="replies">
    /// Empty; what is put here leaves when this returns, by the socket that the batch came in by.
    /// <see cref="UdpShard.Flush"/> makes room earlier.
    /// </param>
    public abstract void OnDatagrams(ReceiveBatch batch, SendBatch replies);

    /// <summary>
    /// Time has passed: <see cref="UdpServerOptions.TickInterval"/>, or more where the thread was busy.
    /// </summary>
    /// <param name="now">Time since the thread was started, by the server's monotonic clock.</param>
    /// <param name="replies">
    /// Leaves when this returns, by the socket of the first local end point; see <see cref="UdpShard.RepliesAt"/>.
    /// </param>
    public virtual void OnTick(TimeSpan now, SendBatch replies)
    {
    }

    /// <summary>The thread ends; nothing more will arrive. What is put into the replies still leaves.</summary>
    /// <param name="replies">As in <see cref="OnTick"/>.</param>
    public virtual void OnStop(SendBatch replies)
    {
    }
}
