using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>
/// The clients of a server, from their connection to its end. Silent ones have not sent their whole cookie: they cost a
/// descriptor each and no thread, since the server's thread waits for all of them at once, and have the time of a
/// message. The others have a thread each: they open their streams, wait for their turn in the order in which they were
/// ready, and run their tests, as many at once as the options allow. The numbers of silent ones and of those that are
/// not ready are bounded: when a bound is reached, the address that has the most of them loses its oldest one.
/// </summary>
/// <param name="onDropped">Hears of a client that leaves without a test, before its connection ends.</param>
internal sealed class ServerClients(
    Iperf3ServerOptions options, int? descriptorsLeft, TimeProvider time, Action<string> onDropped) : IDisposable
{
    /// <summary>The bound of silent ones however many descriptors the process may have.</summary>
    public const int MaxSilent = 128;

    // Of the descriptors that are left when the server starts; the others are for tests and their streams.
    private const int DescriptorShare = 4;

    private readonly Lock _lock = new();
    private readonly List<ServerClient> _clients = [];
    private readonly List<Socket> _readable = [];

    /// <summary>Clients without a thread: those that are silent or were refused at once.</summary>
    public int SilentCount => Silent().Count;

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

    /// <summary>Whether no client has a test or may still get one.</summary>
    public bool IsIdle
    {
        get
        {
            lock (_lock) return _clients.TrueForAll(static one => one.State is ClientState.Dropped or ClientState.Done);
        }
    }

    /// <summary>The bound of silent ones where so many descriptors are left; null for an unknown number.</summary>
    public static int MaxSilentFor(int? descriptorsLeft) =>
        Math.Clamp((descriptorsLeft ?? int.MaxValue) / DescriptorShare, 1, MaxSilent);

    /// <summary>As many as may be silent, and those whom the options give a place: all may come at once.</summary>
    public static int MaxPendingFor(int? descriptorsLeft, Iperf3ServerOptions options) =>
        MaxSilentFor(descriptorsLeft) + options.ParallelTests + options.QueueLength;

    /// <summary>Owns a connection, which is silent at first.</summary>
    public ServerClient Add(ControlStream control) => Add(new ServerClient(control, time.GetTimestamp()));

    /// <summary>Refuses a client, since a test runs already. Returns the notice of it.</summary>
    public static string SayBusy(ControlStream control)
    {
        control.SendState(Iperf3State.AccessDenied);
        return $"refused {control.Remote}: the server is busy";
    }

    /// <summary>Refuses a client as <see cref="SayBusy"/> does; it need not have sent its cookie.</summary>
    public void Refuse(ControlStream control)
    {
        try
        {
            onDropped(SayBusy(control));
        }
        catch (Iperf3Exception)
        {
            control.Dispose();
            throw;
        }

        Add(new ServerClient(control, time.GetTimestamp()) { Refused = new RefusedClient(control, time) });
    }

    /// <summary>Waits until a silent one sends or ends, or another one comes in; returns true for that.</summary>
    public bool Wait(Socket listener, TimeSpan wait)
    {
        _readable.Clear();
        _readable.Add(listener);

        // A part of a cookie is not waited for: it would end every wait at once.
        _readable.AddRange(Silent().Where(static one => !one.HasPart).Select(static one => one.Control.Socket));
        Socket.Select(_readable, checkWrite: null, checkError: null, wait);
        return _readable.Remove(listener);
    }

    /// <summary>The clients that have sent their cookie; drops those that have ended or are late.</summary>
    public List<ServerClient> FindSpoken()
    {
        List<ServerClient> spoken = [];
        foreach (ServerClient client in Silent())
        {
            if (client.Refused is { } refused)
            {
                if (refused.HasRead(TimeSpan.Zero)) Close(client);
                continue;
            }

            int bytes = client.Control.AvailableBytes;
            client.HasPart = bytes > 0;
            if (bytes > ControlStream.CookieLength)
            {
                spoken.Add(client);
            }
            else if (bytes == 0 && _readable.Contains(client.Control.Socket))
            {
                Drop(client, "ended before it sent its cookie");
            }
            else if (time.GetElapsedTime(client.SinceTicks) > ControlStream.MessageTime)
            {
                Drop(client, "did not send its cookie in time");
            }
        }

        return spoken;
    }

    /// <summary>A client has a thread from now on.</summary>
    public void Serve(ServerClient client)
    {
        int pending;
        lock (_lock) pending = CountOf(ClientState.Pending);
        if (pending == MaxPendingFor(descriptorsLeft, options)) DropOldestPending();
        lock (_lock) client.State = ClientState.Pending;
    }

    /// <summary>Makes room among the silent ones; false where there is none to drop.</summary>
    public bool DropOldestSilent()
    {
        if (OldestOf(Silent()) is not { } oldest) return false;

        // Of a refused client the refusal was told.
        if (oldest.Refused is not null) Close(oldest);
        else Drop(oldest, "was dropped before it sent its cookie: too many connections are waiting");
        return true;
    }

    /// <summary>Makes room among those that are not ready, as soon as the connection's thread has noticed.</summary>
    public void DropOldestPending()
    {
        ServerClient? oldest;
        lock (_lock)
        {
            oldest = OldestOf(_clients.FindAll(static one => one.State == ClientState.Pending));
            if (oldest is null) return;

            oldest.State = ClientState.Dropped;
        }

        onDropped($"{oldest.Control.Remote} was dropped before its test began: too many connections are waiting");
        oldest.Control.Abort();
    }

    /// <summary>Takes a place in the order; false if there is none.</summary>
    public bool TryEnter(ServerClient client)
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
    public bool TryRun(ServerClient client)
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
    public void MakeRoom(ServerClient client)
    {
        lock (_lock)
        {
            if (client.State is ClientState.Waiting or ClientState.Running) client.State = ClientState.Done;
        }
    }

    public void Close(ServerClient client)
    {
        lock (_lock) _ = _clients.Remove(client);
        client.Control.Dispose();
    }

    /// <summary>Ends the connections of the clients that are not ready.</summary>
    public void AbortPending() => Abort(static one => one.State == ClientState.Pending);

    public void AbortAll() => Abort(static _ => true);

    /// <summary>Closes the connections that have no thread.</summary>
    public void Dispose() => Silent().ForEach(Close);

    private ServerClient Add(ServerClient client)
    {
        if (SilentCount == MaxSilentFor(descriptorsLeft)) DropOldestSilent();
        lock (_lock) _clients.Add(client);
        return client;
    }

    private List<ServerClient> Silent()
    {
        lock (_lock) return _clients.FindAll(static one => one.IsSilent);
    }

    // The oldest come first.
    private static ServerClient? OldestOf(List<ServerClient> clients)
    {
        if (clients.Count == 0) return null;

        IPAddress most = clients.CountBy(static one => one.Control.Remote.Address).MaxBy(static one => one.Value).Key;
        return clients.Find(one => one.Control.Remote.Address.Equals(most));
    }

    private void Drop(ServerClient client, string why)
    {
        onDropped($"{client.Control.Remote} {why}");
        Close(client);
    }

    private void Abort(Func<ServerClient, bool> which)
    {
        lock (_lock)
        {
            foreach (ServerClient client in _clients.Where(which)) client.Control.Abort();
        }
    }

    private int CountOf(ClientState state) => _clients.Count(one => one.State == state);
}

/// <summary>The lock of its <see cref="ServerClients"/> guards the state; the rest is the server thread's.</summary>
internal sealed class ServerClient(ControlStream control, long sinceTicks)
{
    public ControlStream Control { get; } = control;

    public ClientState State { get; set; }

    public bool IsSilent => State == ClientState.Silent;

    public long SinceTicks { get; } = sinceTicks;

    /// <summary>Null for a client that may still send its cookie.</summary>
    public RefusedClient? Refused { get; init; }

    /// <summary>Whether a part of the cookie has come.</summary>
    public bool HasPart { get; set; }
}

internal enum ClientState
{
    /// <summary>It has no thread.</summary>
    Silent,

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
