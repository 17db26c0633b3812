using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
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

/// <summary>How many files (descriptors) the process has open, and how many it may have. Linux only.</summary>
/// <param name="Limit">RLIMIT_NOFILE, the soft one; null for no limit or if unknown.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct FileUsage(int? OpenCount, int? Limit)
{
    private const string LimitName = "Max open files";
    private const int MinWanted = 65_536;

    public int? Left => Limit - OpenCount is { } left ? Math.Max(0, left) : null;

    public string LackText
    {
        get
        {
            const string Raise = "raise the limit with 'ulimit -n";
            const string Shell = "in the shell that starts it";
            if (Limit is not { } limit)
            {
                return $"the process has nearly all open files that it may have: {Raise} {MinWanted}' {Shell}";
            }

            long wanted = Math.Max(4L * limit, MinWanted);
            return $"the process may have {limit} open files and has nearly all of them: {Raise} {wanted}' {Shell}, "
                + $"or with LimitNOFILE={wanted} in its systemd unit";
        }
    }

    /// <summary>
    /// Reads both from /proc/self. The reading opens a file itself: with no descriptor left, all files that the limit
    /// allows count as open, if the limit is given.
    /// </summary>
    public static FileUsage Read(int? knownLimit = null)
    {
        if (!OperatingSystem.IsLinux()) return default;
        int? limit = knownLimit;
        try
        {
            limit ??= ReadLimit();
            return new FileUsage(Directory.EnumerateFileSystemEntries("/proc/self/fd").Count(), limit);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return new FileUsage(limit, limit);
        }
    }

    // "Max open files   1024   524288   files": the soft limit, then the hard limit (proc_pid_limits(5)).
    private static int? ReadLimit()
    {
        foreach (string line in File.ReadLines("/proc/self/limits"))
        {
            if (!line.StartsWith(LimitName, StringComparison.Ordinal)) continue;
            string[] fields = line[LimitName.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries);
            return int.TryParse(fields[0], CultureInfo.InvariantCulture, out int allowed) ? allowed : null;
        }

        return null;
    }
}
