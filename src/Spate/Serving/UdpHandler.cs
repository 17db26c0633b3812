namespace Spate.Serving;

/// <summary>
/// Handles the datagrams of a <see cref="UdpServer"/>. Each thread of the server has a handler of its own, which is
/// made and called on that thread only, so a handler needs no lock for its own data. An exception that leaves a method
/// is counted and reported (<see cref="UdpServerOptions.OnFault"/>). The datagrams of the batch in which it was thrown
/// count as dropped (<see cref="UdpThreadStatistics.DatagramsFaulted"/>, and <c>spate.drop.count</c> of the meter
/// <c>Spate</c>), and replies that were not yet sent are dropped and counted (<see
/// cref="UdpThreadStatistics.RepliesDropped"/>). The server owns the batches: disposing one has no effect.
/// </summary>
/// <example><code>
/// // An open echo server can be caught in a loop with another one by a forged source: see SendControl.TimeToLive.
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
    /// <summary>Called when datagrams have arrived.</summary>
    /// <param name="batch">
    /// The received datagrams, valid until this method returns. Lease what must live longer.
    /// </param>
    /// <param name="replies">
    /// An empty batch for replies. It is sent when this method returns, by the socket that received the datagrams.
    /// <see cref="UdpShard.Flush"/> sends it earlier, to make room.
    /// </param>
    public abstract void OnDatagrams(ReceiveBatch batch, SendBatch replies);

    /// <summary>
    /// Called each time <see cref="UdpServerOptions.TickInterval"/> has passed, later if the thread is busy.
    /// </summary>
    /// <param name="now">The time since the thread was started, by the server's monotonic clock.</param>
    /// <param name="replies">
    /// A batch that is sent when this method returns, by the socket of the first local end point. For other end points
    /// see <see cref="UdpShard.RepliesAt"/>.
    /// </param>
    public virtual void OnTick(TimeSpan now, SendBatch replies)
    {
    }

    /// <summary>Called when the thread ends and nothing more will arrive. The replies are still sent.</summary>
    /// <param name="replies">The batch for replies, as in <see cref="OnTick"/>.</param>
    public virtual void OnStop(SendBatch replies)
    {
    }
}
