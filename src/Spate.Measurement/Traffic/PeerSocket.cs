namespace Spate.Measurement.Traffic;

/// <summary>Opens sockets that share a listening socket's port, each for one peer.</summary>
internal static class PeerSocket
{
    private const int MaxStrays = 64;

    /// <summary>A datagram of another peer than the one that a socket is for.</summary>
    public delegate void StrayHandler(in Datagram datagram);

    /// <summary>
    /// Opens a socket at the listening port. The kernel prefers it to the listening socket for what its peer sends, and
    /// gives it nothing else (compute_score in net/ipv4/udp.c). Windows promises neither: see <see cref="PeerPort"/>.
    /// </summary>
    /// <remarks>
    /// Between its bind and its connect the socket may be given what others send. That is taken out of it before it is
    /// used.
    /// </remarks>
    /// <param name="peer">The peer.</param>
    /// <param name="local">The listening port, with the address to which the peer has sent.</param>
    /// <param name="options">As of the listening socket, which shares its port.</param>
    /// <param name="onStray">Told of what others sent; null to throw it away.</param>
    /// <returns>The socket, and a batch to receive with: after a single receive, batches would cost a lock.</returns>
    /// <exception cref="System.Net.Sockets.SocketException">The system refused; nothing stays open.</exception>
    public static (UdpSocket Socket, ReceiveBatch Batch) Open(
        in UdpEndPoint peer, in UdpEndPoint local, UdpSocketOptions options, StrayHandler? onStray)
    {
        UdpSocket socket = UdpSocket.Connect(peer, local, options);
        ReceiveBatch? batch = null;
        try
        {
            batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 1 });
            for (int i = 0; i < MaxStrays && socket.TryReceive(batch) == ReceiveStatus.Received; i++)
            {
                foreach (Datagram datagram in batch)
                {
                    if (datagram.Peer != peer) onStray?.Invoke(datagram);
                }
            }

            return (socket, batch);
        }
        catch
        {
            batch?.Dispose();
            socket.Dispose();
            throw;
        }
    }
}
