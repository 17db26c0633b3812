using System.Net;
using Spate.Measurement.Iperf3.Wire;

namespace Spate.Measurement.Iperf3.Server;

/// <summary>
/// Connections whose test has not begun. Anybody can open many and say nothing, so their number is bounded: when it is
/// reached, the address that has the most of them loses its oldest one.
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

    public void Add(ControlStream control)
    {
        lock (_lock)
        {
            if (_clients.Count == Max)
            {
                IPAddress most = _clients.CountBy(static one => one.Address).MaxBy(static one => one.Value).Key;
                int oldest = _clients.FindIndex(one => one.Address.Equals(most));
                _clients[oldest].Control.Abort();
                _clients.RemoveAt(oldest);
            }

            _clients.Add((control.Remote.Address, control));
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
