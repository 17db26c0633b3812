using System.Net;
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
        int oldest = ServedClients.OldestOf(_clients, static one => one.Control.Remote.Address);

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

/// <summary>
/// Clients that have sent their cookie; each has a thread. First they open their streams, then they wait for their turn
/// in the order in which they were ready, and then their tests run, as many at once as the options allow. The number of
/// those that are not ready is bounded: when it is reached, the address that has the most of them loses its oldest one.
/// </summary>
/// <param name="onDropped">Told of a connection before it is ended to make room.</param>
internal sealed class ServedClients(Iperf3ServerOptions options, int maxPending, Action<ControlStream> onDropped)
{
    private readonly Lock _lock = new();
    private readonly List<ServedClient> _clients = [];

    public int PendingCount
    {
        get
        {
            lock (_lock) return CountOf(ClientState.Pending);
        }
    }

    /// <summary>Whether there is neither a place to run nor one to wait.</summary>
    public bool IsFull
    {
        get
        {
            lock (_lock)
            {
                return CountOf(ClientState.Running) >= options.ParallelTests
                    && CountOf(ClientState.Waiting) >= options.QueueLength;
            }
        }
    }

    /// <summary>Whether no test runs and none waits for its turn.</summary>
    public bool IsIdle
    {
        get
        {
            lock (_lock) return CountOf(ClientState.Running) + CountOf(ClientState.Waiting) == 0;
        }
    }

    /// <summary>As many as may be silent, and those whom the options give a place: all may come at once.</summary>
    public static int MaxPendingFor(int? descriptorsLeft, Iperf3ServerOptions options) =>
        SilentClients.MaxCountFor(descriptorsLeft) + options.ParallelTests + options.QueueLength;

    /// <summary>The index of the oldest connection of the address that has the most; oldest ones first.</summary>
    public static int OldestOf<T>(List<T> connections, Func<T, IPAddress> addressOf)
    {
        IPAddress most = connections.CountBy(addressOf).MaxBy(static one => one.Value).Key;
        return connections.FindIndex(one => addressOf(one).Equals(most));
    }

    public ServedClient Add(ControlStream control)
    {
        if (PendingCount == maxPending) DropOldest();
        var client = new ServedClient(control);
        lock (_lock) _clients.Add(client);
        return client;
    }

    /// <summary>Makes room among those that are not ready, as soon as the connection's thread has noticed.</summary>
    public void DropOldest()
    {
        ServedClient oldest;
        lock (_lock)
        {
            List<ServedClient> pending = _clients.FindAll(static one => one.State == ClientState.Pending);
            if (pending.Count == 0) return;

            oldest = pending[OldestOf(pending, static one => one.Control.Remote.Address)];
            oldest.State = ClientState.Dropped;
        }

        onDropped(oldest.Control);
        oldest.Control.Abort();
    }

    /// <summary>Takes a place in the order; false if there is none.</summary>
    public bool TryEnter(ServedClient client)
    {
        lock (_lock)
        {
            int taken = CountOf(ClientState.Running) + CountOf(ClientState.Waiting);
            bool hasPlace = taken < options.ParallelTests + options.QueueLength;
            if (!hasPlace || client.State != ClientState.Pending) return false;

            // Behind those that were ready before.
            _ = _clients.Remove(client);
            _clients.Add(client);
            client.State = ClientState.Waiting;
            return true;
        }
    }

    /// <summary>Begins to run; false before this client's turn.</summary>
    public bool TryRun(ServedClient client)
    {
        lock (_lock)
        {
            if (client.State == ClientState.Running) return true;

            int before = _clients.TakeWhile(one => one != client).Count(static one => one.State == ClientState.Waiting);
            if (before >= options.ParallelTests - CountOf(ClientState.Running)) return false;

            client.State = ClientState.Running;
            return true;
        }
    }

    /// <summary>Lets the next client in; this client may still read its last message.</summary>
    public void MakeRoom(ServedClient client)
    {
        lock (_lock)
        {
            if (client.State is ClientState.Waiting or ClientState.Running) client.State = ClientState.Done;
        }
    }

    public void Remove(ServedClient client)
    {
        lock (_lock) _ = _clients.Remove(client);
    }

    /// <summary>Ends the connections of the clients that are not ready.</summary>
    public void AbortPending() => Abort(static one => one.State == ClientState.Pending);

    public void AbortAll() => Abort(static _ => true);

    private void Abort(Func<ServedClient, bool> which)
    {
        lock (_lock)
        {
            foreach (ServedClient client in _clients.Where(which)) client.Control.Abort();
        }
    }

    private int CountOf(ClientState state) => _clients.Count(one => one.State == state);
}

/// <summary>The lock of its <see cref="ServedClients"/> guards the state.</summary>
internal sealed class ServedClient(ControlStream control)
{
    public ControlStream Control { get; } = control;

    public ClientState State { get; set; }
}

internal enum ClientState
{
    /// <summary>It is not ready yet.</summary>
    Pending,

    /// <summary>It had to make room for others, and a notice said so.</summary>
    Dropped,

    Waiting,
    Running,

    /// <summary>Its place was given away.</summary>
    Done,
}

/// <summary>
/// A client that was refused reads the refusal, and closes: closed before that, the connection would be reset, and the
/// refusal might be lost. One thread.
/// </summary>
internal sealed class RefusedClient(ControlStream control, TimeProvider time)
{
    // More than a client sends before it waits for an answer. Who goes on sending is not read for the whole time.
    private const int MaxBytes = 16 * 1024;

    public static readonly TimeSpan MaxTime = TimeSpan.FromSeconds(1);

    private readonly long _sinceTicks = time.GetTimestamp();
    private int _readBytes;

    /// <summary>Reads what nobody needs. Returns whether the client has closed, or had its time.</summary>
    public bool HasRead(TimeSpan wait)
    {
        try
        {
            while (_readBytes < MaxBytes && control.TryReadState(wait, out _))
            {
                _readBytes++;
                wait = TimeSpan.Zero;
            }
        }
        catch (Iperf3Exception)
        {
            return true;
        }

        return _readBytes == MaxBytes || time.GetElapsedTime(_sinceTicks) > MaxTime;
    }
}
