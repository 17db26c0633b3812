using Spate.Sockets;

namespace Spate.Testing.Memory;

/// <summary>Opens sockets that exist only in memory.</summary>
internal static class MemorySocket
{
    public static UdpSocket Open(
        UdpEndPoint local, UdpSocketOptions options, MemoryNetwork network, int localEndPointIndex) =>
        Open(local, options, network, localEndPointIndex, out _);

    public static UdpSocket Open(
        UdpEndPoint local,
        UdpSocketOptions options,
        MemoryNetwork network,
        int localEndPointIndex,
        out MemoryReceiver receiver)
    {
        SocketContext context = new(local, options);
        receiver = new MemoryReceiver(context);
        MemorySender sender = new(context, network, localEndPointIndex);
        return new UdpSocket(context, new BackendPair(UdpBackend.Portable, receiver, sender));
    }
}
