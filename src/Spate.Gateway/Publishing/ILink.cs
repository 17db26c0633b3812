using Spate.Gateway.Pipelines;

namespace Spate.Gateway.Publishing;

/// <summary>
/// The connection between a pipeline and the broker that stores its messages: one connection with one channel at a
/// time. One caller at a time; the listener is called from any thread.
/// </summary>
internal interface ILink : IAsyncDisposable
{
    /// <summary>
    /// Connects, to the next host after one that has failed, and checks or declares the queues. Ends what an earlier
    /// call had opened. The next pack published has tag 1. After a failure nothing is called on the listener.
    /// </summary>
    /// <param name="listener">Gets the events of this connection, until it is lost.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="GatewayException">
    /// One line that says why. <see cref="GatewayException.IsRefusal"/> is set where a host answered and refused:
    /// credentials, virtual host, queue, certificate.
    /// </exception>
    Task ConnectAsync(ILinkListener listener, CancellationToken cancellationToken);

    /// <summary>
    /// Publishes <see cref="PackBuffer.Message"/> to the queue of <see cref="PackBuffer.Partition"/>: persistent,
    /// mandatory, with the next tag. The confirm may come before the call has returned. The bytes stay as they are
    /// until then; they are not read after the call has returned.
    /// </summary>
    /// <exception cref="Exception">The connection is lost, whether or not the listener has been told.</exception>
    ValueTask PublishAsync(PackBuffer pack, CancellationToken cancellationToken);
}
