using System.Net;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>
/// Connections that have sent their cookie and whose test has not begun; each has a thread. Their number is bounded:
/// when it is reached, the address that has the most of them loses its oldest one. One thread adds and drops.
/// </summary>
/// <param name="onDropped">Told of a connection before it is ended to make room.</param>
internal sealed class PendingClients(int maxCount, Action<ControlStream> onDropped)
{
    private readonly Lock _lock = new();
    private readonly List<(IPAddress Address, ControlStream Control)> _clients = [];

    public int Count
    {
        get
        {
            lock (_lock) return _clients.Count;
        }
    }

    /// <summary>As many as may be silent, and those whom the options give a place: all may come at once.</summary>
    public static int MaxCountFor(int? descriptorsLeft, Iperf3ServerOptions options) =>
        SilentClients.MaxCountFor(descriptorsLeft) + options.ParallelTests + options.QueueLength;

    /// <summary>The index of the oldest connection of the address that has the most; oldest ones first.</summary>
    public static int OldestOf<T>(List<T> connections, Func<T, IPAddress> addressOf)
    {
        IPAddress most = connections.CountBy(addressOf).MaxBy(static one => one.Value).Key;
        return connections.FindIndex(one => addressOf(one).Equals(most));
    }

    public void Add(ControlStream control)
    {
        if (Count == maxCount) DropOldest();
        lock (_lock) _clients.Add((control.Remote.Address, control));
    }

    /// <summary>Makes room, as soon as the thread of the connection has noticed.</summary>
    public void DropOldest()
    {
        ControlStream control;
        lock (_lock)
        {
            if (_clients.Count == 0) return;

            int oldest = OldestOf(_clients, static one => one.Address);
            control = _clients[oldest].Control;
            _clients.RemoveAt(oldest);
        }

        onDropped(control);
        control.Abort();
    }

    public void Remove(ControlStream control)
    {
        lock (_lock) _ = _clients.RemoveAll(one => one.Control == control);
    }

    public void Abort()
    {
        lock (_lock) _clients.ForEach(static one => one.Control.Abort());
    }
}
