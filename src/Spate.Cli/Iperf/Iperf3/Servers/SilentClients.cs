using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>
/// Connections that have not sent their whole cookie. They cost a descriptor each and no thread: the server's thread
/// waits for all of them at once. A connection is dropped when the time for a message is over, or when the bound is
/// reached: then the address that has the most of them loses its oldest one. One thread.
/// </summary>
internal sealed class SilentClients(int maxCount, TimeProvider time, Action<string> onDropped) : IDisposable
{
    /// <summary>The bound however many descriptors the process may have.</summary>
    public const int MaxCount = 128;

    // Of the descriptors that are left when the server starts; the others are for tests and their streams.
    private const int DescriptorShare = 4;

    private readonly List<Client> _clients = [];
    private readonly List<Socket> _readable = [];

    public int Count => _clients.Count;

    /// <summary>The bound where so many descriptors are left; null for an unknown number.</summary>
    public static int MaxCountFor(int? descriptorsLeft) =>
        Math.Clamp((descriptorsLeft ?? int.MaxValue) / DescriptorShare, 1, MaxCount);

    public void Add(ControlStream control) => Add(control, refused: null);

    /// <summary>Tells a client, which need not have sent its cookie, that a test runs already.</summary>
    public void Refuse(ControlStream control)
    {
        try
        {
            control.SendState(Iperf3State.AccessDenied);
        }
        catch (Iperf3Exception)
        {
            control.Dispose();
            throw;
        }

        onDropped($"refused {control.Remote}: a test runs already");
        Add(control, new RefusedClient(control, time));
    }

    /// <summary>Waits until one of these sends or ends, or another one comes in; returns true for that.</summary>
    public bool Wait(Socket listener, TimeSpan wait)
    {
        _readable.Clear();
        _readable.Add(listener);

        // A part of a cookie is not waited for: it would end every wait at once.
        _readable.AddRange(_clients.Where(static one => !one.HasPart).Select(static one => one.Control.Socket));
        Socket.Select(_readable, checkWrite: null, checkError: null, wait);
        return _readable.Remove(listener);
    }

    /// <summary>Takes those that have sent their cookie, and drops those that have ended or are late.</summary>
    public List<ControlStream> TakeSpoken()
    {
        List<ControlStream> spoken = [];
        for (int i = _clients.Count - 1; i >= 0; i--)
        {
            Client client = _clients[i];
            if (client.Refused is { } refused)
            {
                if (refused.HasRead(TimeSpan.Zero)) Remove(i).Dispose();
                continue;
            }

            int bytes = client.Control.AvailableBytes;
            client.HasPart = bytes > 0;
            if (bytes > ControlStream.CookieLength)
            {
                spoken.Add(Remove(i));
            }
            else if (bytes == 0 && _readable.Contains(client.Control.Socket))
            {
                Drop(i, "ended before it sent its cookie");
            }
            else if (time.GetElapsedTime(client.SinceTicks) > ControlStream.MessageTime)
            {
                Drop(i, "did not send its cookie in time");
            }
        }

        spoken.Reverse();
        return spoken;
    }

    /// <summary>Makes room; false where there is none to drop.</summary>
    public bool DropOldest()
    {
        if (_clients.Count == 0) return false;
        int oldest = PendingClients.OldestOf(_clients, static one => one.Control.Remote.Address);

        // Of a refused client the refusal was told.
        if (_clients[oldest].Refused is not null) Remove(oldest).Dispose();
        else Drop(oldest, "was dropped before it sent its cookie: too many connections wait");
        return true;
    }

    public void Dispose()
    {
        foreach (Client client in _clients) client.Control.Dispose();
        _clients.Clear();
    }

    private void Add(ControlStream control, RefusedClient? refused)
    {
        if (_clients.Count == maxCount) DropOldest();
        _clients.Add(new Client(control, time.GetTimestamp(), refused));
    }

    private void Drop(int index, string why)
    {
        using ControlStream control = Remove(index);
        onDropped($"{control.Remote} {why}");
    }

    private ControlStream Remove(int index)
    {
        ControlStream control = _clients[index].Control;
        _clients.RemoveAt(index);
        return control;
    }

    private sealed class Client(ControlStream control, long sinceTicks, RefusedClient? refused)
    {
        /// <summary>Null for a client that may still send its cookie.</summary>
        public RefusedClient? Refused { get; } = refused;

        public ControlStream Control { get; } = control;

        public long SinceTicks { get; } = sinceTicks;

        public bool HasPart { get; set; }
    }
}
