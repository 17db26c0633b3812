using System.Net.Sockets;

namespace Spate.Measurement.Traffic;

/// <summary>Options of sockets that share a port: one that listens, and one connected to each peer.</summary>
internal static class PeerPort
{
    public static UdpSocketOptions Of(UdpSocketOptions options) => Of(options, OperatingSystem.IsWindows());

    // Windows has no SO_REUSEPORT, and its SO_REUSEADDR lets sockets share a port. Microsoft calls it indeterminate
    // which of them gets a datagram ("Using SO_REUSEADDR and SO_EXCLUSIVEADDRUSE"). Wine does as Linux, which prefers
    // the connected socket of the sender, so a run under Wine does not show that this works on Windows.
    internal static UdpSocketOptions Of(UdpSocketOptions options, bool isWindows) => isWindows
        ? options with { ReuseAddress = true }
        : options with { ReusePort = true };

    /// <summary>What a socket for control is opened with: few datagrams, none of which may wait for another.</summary>
    public static UdpSocketOptions ControlOptions(UdpBackend backend, bool sharesPort)
    {
        UdpSocketOptions options = new()
        {
            Backend = backend,
            CoalescedReceive = false,
            SegmentedSend = false,
            ReceiveBufferBytes = null,
            SendBufferBytes = null,
        };
        return sharesPort ? Of(options) : options;
    }

    /// <summary>Throws if a socket of another run has the port, which this one's would share.</summary>
    public static void RequireFree(UdpEndPoint local, UdpSocketOptions options)
    {
        if (local.Port == 0) return;
        using (UdpSocket.Bind(local, options with { ReusePort = false, ReuseAddress = false }))
        {
        }

        // On Windows a plain bind may share the port with a socket that has SO_REUSEADDR.
        if (!OperatingSystem.IsWindows()) return;
        using Socket alone = new(local.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        if (local.IsIPv6) alone.DualMode = options.DualMode;
        alone.ExclusiveAddressUse = true;
        alone.Bind(local.ToIPEndPoint());
    }
}

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
    // Between its bind and its connect the socket may be given what others send: the handler takes it first, or null
    // throws it away. The batch comes from here, since after a single receive batches would cost a lock. If the system
    // refuses, nothing stays open.
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
