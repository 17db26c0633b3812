namespace Spate.Serving;

/// <summary>
/// Handles the datagrams of a <see cref="UdpServer"/>. Each thread of the server has its own handler, which is made and
/// called only on that thread, so a handler needs no lock for its own data. An exception that a method throws is
/// counted and reported (<see cref="UdpServerOptions.OnFault"/>). If <see cref="OnDatagrams"/> throws, all datagrams of
/// its batch count as dropped (<see cref="UdpThreadStatistics.DatagramsFaulted"/>, and <c>spate.drop.count</c> of the
/// meter <c>Spate</c>). After any exception, replies that were not yet sent are dropped and counted
/// (<see cref="UdpThreadStatistics.RepliesDropped"/>). The server owns the batches: disposing a batch has no effect.
/// <para>
/// A handler may implement <see cref="IAsyncDisposable"/> or <see cref="IDisposable"/>; the server prefers the former
/// if both are there. It disposes the handler on the handler's thread after <see cref="OnStop"/>, and waits there for
/// an asynchronous dispose. The stop of the server waits for that too, with the limit that
/// <see cref="UdpServer.StopAsync(TimeSpan, CancellationToken)"/> names. So an asynchronous dispose must not await the
/// stop or the dispose of its own server: they would wait for each other until that limit.
/// </para>
/// </summary>
/// <example><code>
/// // With a forged source address, two open echo servers can answer each other forever: see SendControl.TimeToLive.
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
    /// The received datagrams, valid until this method returns. Lease a datagram that must stay valid longer.
    /// </param>
    /// <param name="replies">
    /// An empty batch for replies. The server sends it when this method returns, through the socket that received the
    /// datagrams. <see cref="UdpShard.Flush"/> sends it earlier, to make room.
    /// </param>
    public abstract void OnDatagrams(ReceiveBatch batch, SendBatch replies);

    /// <summary>
    /// Called each time <see cref="UdpServerOptions.TickInterval"/> has passed, or later if the thread is busy.
    /// </summary>
    /// <param name="now">The time since the thread was started, measured by the server's monotonic clock.</param>
    /// <param name="replies">
    /// A batch that the server sends when this method returns, through the socket of the first local end point. For
    /// other local end points, see <see cref="UdpShard.GetReplies"/>.
    /// </param>
    public virtual void OnTick(TimeSpan now, SendBatch replies)
    {
    }

    /// <summary>
    /// Called when the thread ends. No more datagrams will be handled, but the replies are still sent.
    /// </summary>
    /// <param name="replies">A batch for replies, which the server sends as in <see cref="OnTick"/>.</param>
    public virtual void OnStop(SendBatch replies)
    {
    }
}
