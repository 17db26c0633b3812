using Spate.Buffers;

namespace Spate.Sockets;

/// <summary>
/// The sending side of the interface between sockets and the operating system: one virtual call per batch. Any number
/// of threads may send at the same time, each with its own batch, also while other threads receive. Timeouts are in
/// milliseconds: -1 waits forever, 0 does not wait.
/// </summary>
/// <param name="context">The socket's context.</param>
/// <param name="segments">Whether datagrams of the same peer and size are sent as GSO messages.</param>
/// <param name="usesHeaders">Whether the queues have message headers.</param>
internal abstract class Sender(SocketContext context, bool segments, bool usesHeaders)
{
    public bool Segments { get; } = segments;

    /// <summary>
    /// Whether the queues that <see cref="CreateQueue"/> makes, and <see cref="Send"/> accepts, have
    /// <see cref="SendHeaders"/>.
    /// </summary>
    public bool UsesHeaders { get; } = usesHeaders;

    protected SocketContext Context { get; } = context;

    public abstract SendQueue CreateQueue(int capacity, int bufferBytes);

    /// <summary>Sends the queued datagrams. Datagrams that were neither sent nor refused stay in the queue.</summary>
    public abstract SendResult Send(SendQueue queue, int timeoutMilliseconds);

    public abstract SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds);
}
