using System.Net;
using System.Net.Sockets;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>A bound socket with an entry for it, and the event sets that this system has.</summary>
internal sealed class EventSocket : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);

    /// <param name="connectedTo">A peer to connect to; null for none.</param>
    public EventSocket(IPEndPoint? connectedTo = null)
    {
        _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        if (connectedTo is not null) _socket.Connect(connectedTo);
        UdpEndPoint remote = connectedTo is null ? default : UdpEndPoint.FromIPEndPoint(connectedTo);
        Context = new SocketContext(_socket, new UdpSocketOptions { ReportPortUnreachable = true }, remote);
        Entry = new EventEntry(Context.Descriptor, Context);
    }

    /// <summary>For theories: whether the set is the portable one.</summary>
    public static TheoryData<bool> Forms => OperatingSystem.IsMacOS() ? [true] : [false, true];

    public SocketContext Context { get; }

    public EventEntry Entry { get; }

    public static EventSet CreateSet(bool isPortable, bool isShared = false) =>
        isPortable ? new PortableEventSet(isShared) : EventSet.Create(isShared);

    /// <summary>Sends the socket a datagram.</summary>
    public void Send() => _socket.SendTo(new byte[10], Context.IsConnected ? Context.Remote.ToIPEndPoint() : Local);

    /// <summary>Takes one datagram.</summary>
    public void Take()
    {
        _socket.Blocking = true;
        _socket.Receive(new byte[10]);
    }

    public void Dispose() => _socket.Dispose();

    private IPEndPoint Local => (IPEndPoint)_socket.LocalEndPoint!;
}
