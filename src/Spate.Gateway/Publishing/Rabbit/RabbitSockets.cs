using System.Net.Sockets;
using RabbitMQ.Client;

namespace Spate.Gateway.Publishing.Rabbit;

/// <summary>The sockets that the client opens for one connection. Any thread may call.</summary>
internal sealed class RabbitSockets
{
    private readonly Lock _lock = new();
    private readonly List<ITcpClient> _sockets = [];
    private bool _isClosed;

    /// <summary>Makes a socket as the client does, and remembers it.</summary>
    public ITcpClient Open(AddressFamily family)
    {
        ITcpClient socket = ConnectionFactoryBase.DefaultSocketFactory(family);
        lock (_lock)
        {
            _sockets.Add(socket);
            if (_isClosed) socket.Close();
        }

        return socket;
    }

    /// <summary>Closes all of them, and those that come later.</summary>
    public void Close()
    {
        lock (_lock)
        {
            _isClosed = true;
            foreach (ITcpClient socket in _sockets) socket.Close();
            _sockets.Clear();
        }
    }
}
