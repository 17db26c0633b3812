using System.Net;
using Spate.Measurement.Iperf3.Wire;

namespace Spate.Measurement.Iperf3.Server;

/// <summary>
/// Connections that have sent their cookie and whose test has not begun; each has a thread. Their number is bounded:
/// when it is reached, the address that has the most of them loses its oldest one.
/// </summary>
internal sealed class PendingClients
{
    /// <summary>The most connections.</summary>
    public const int Max = 512;

    private readonly Lock _lock = new();
    private readonly List<(IPAddress Address, ControlStream Control)> _clients = [];

    public int Count
    {
        get
        {
            lock (_lock) return _clients.Count;
        }
    }

    /// <summary>The index of the oldest connection of the address that has the most.</summary>
    /// <param name="connections">At least one connection, the oldest first.</param>
    /// <param name="addressOf">A connection's address.</param>
    public static int OldestOf<T>(List<T> connections, Func<T, IPAddress> addressOf)
    {
        IPAddress most = connections.CountBy(addressOf).MaxBy(static one => one.Value).Key;
        return connections.FindIndex(one => addressOf(one).Equals(most));
    }

    public void Add(ControlStream control)
    {
        lock (_lock)
        {
            if (_clients.Count == Max) DropOldest();

            _clients.Add((control.Remote.Address, control));
        }
    }

    /// <summary>Makes room, as soon as the thread of the connection has noticed.</summary>
    public void DropOldest()
    {
        lock (_lock)
        {
            if (_clients.Count == 0) return;

            int oldest = OldestOf(_clients, static one => one.Address);
            _clients[oldest].Control.Abort();
            _clients.RemoveAt(oldest);
        }
    }

    public void Remove(ControlStream control)
    {
        lock (_lock) _ = _clients.RemoveAll(one => one.Control == control);
    }

    /// <summary>Ends all of them.</summary>
    public void Abort()
    {
        lock (_lock) _clients.ForEach(static one => one.Control.Abort());
    }
}
