using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>
/// The end of tests that waits for clients, by iperf3's protocol. Connections that say nothing, or say it slowly, take
/// no place of a test, and no thread before they have sent their cookie. A stream is given to a test only if it comes
/// from the address of the test's control connection. Many sockets share a port, which some systems refuse.
/// </summary>
internal sealed class Iperf3Server : IDisposable
{
    private const int Backlog = 512;
    private const int MaxRefusalLines = 10;
    private const int StackBytes = 512 * 1024;

    // With fewer descriptors the runtime cannot start a thread, and calls it a lack of memory.
    private const int MinDescriptorsLeft = 8;

    private static readonly TimeSpan PollTime = TimeSpan.FromMilliseconds(100);

    // A server that ends after one test is not there for long, and a script may wait for its end.
    private static readonly TimeSpan OneOffPollTime = TimeSpan.FromMilliseconds(10);

    // Much longer than the steps in which tests look whether the server is stopped.
    private static readonly TimeSpan TellTime = TimeSpan.FromMilliseconds(500);

    private readonly Iperf3ServerOptions _options;
    private readonly TimeProvider _time;
    private readonly Socket _listener;
    private readonly UdpAcceptor _acceptor;
    private readonly ServerClients _clients;
    private readonly FileUsage _files = FileUsage.Read();
    private readonly RefusalNotices _refusals;
    private readonly CountdownEvent _threads = new(1);
    private volatile bool _hasEndedOne;

    private Iperf3Server(Iperf3ServerOptions options, Socket listener, UdpSocket streams, TimeProvider time)
    {
        _options = options;
        _time = time;
        _listener = listener;
        _refusals = new RefusalNotices(time, MaxRefusalLines);
        _acceptor = new UdpAcceptor(streams, _refusals.Tell);
        _clients = new ServerClients(options, _files.Left, time, _refusals.Tell);
        LocalEndPoint = (IPEndPoint)listener.LocalEndPoint!;
    }

    /// <summary>Where it listens; the port is the real one where the system chose it.</summary>
    public IPEndPoint LocalEndPoint { get; }

    public static Iperf3Server Open(Iperf3ServerOptions options, TimeProvider? timeProvider = null)
    {
        options.Validate();
        Socket listener = Listen(options.Local);
        try
        {
            UdpEndPoint local = UdpEndPoint.FromIPEndPoint((IPEndPoint)listener.LocalEndPoint!);
            UdpSocketOptions socketOptions = PeerPort.ControlOptions(options.Transport.Backend, sharesPort: true) with
            {
                Metadata = IcmpSupport.IsPossible(options.Transport.Backend)
                    ? UdpMetadata.LocalAddress
                    : UdpMetadata.None,
            };
            PeerPort.RequireFree(local, socketOptions);
            return new Iperf3Server(
                options, listener, UdpSocket.Bind(local, socketOptions), timeProvider ?? TimeProvider.System);
        }
        catch
        {
            listener.Dispose();
            throw;
        }
    }

    /// <summary>Blocks. Any thread makes observers and tells notices, which may hold text of strangers.</summary>
    public void Run(
        Func<IIperfObserver> newObserver,
        Action<string>? onNotice = null,
        CancellationToken cancellationToken = default)
    {
        _refusals.OnNotice = onNotice;
        _acceptor.Start();
        TimeSpan pollTime = _options.EndsAfterOne ? OneOffPollTime : PollTime;
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        long idleTicks = _time.GetTimestamp();
        try
        {
            while (!stop.IsCancellationRequested && !(_options.EndsAfterOne && _hasEndedOne))
            {
                if (_clients.Wait(_listener, pollTime)) Accept();
                foreach (ServerClient client in _clients.FindSpoken()) Serve(client, newObserver, stop.Token);
                if (!_clients.IsIdle) idleTicks = _time.GetTimestamp();
                if (_options.IdleTimeout <= TimeSpan.Zero || _time.GetElapsedTime(idleTicks) < _options.IdleTimeout)
                {
                    continue;
                }

                onNotice?.Invoke($"no test for {_options.IdleTimeout.TotalSeconds:0.###} s: the server ends");
                return;
            }
        }
        finally
        {
            stop.Cancel();
            _clients.Dispose();
            _threads.Signal();
            EndClients();
        }
    }

    public void Dispose()
    {
        _listener.Dispose();
        _acceptor.Dispose();

        // A thread that an observer still holds would find it gone.
        if (_threads.IsSet) _threads.Dispose();
    }

    // A thread that looks at the stop tells its client, and closes. Those that wait for a message of their client are
    // ended.
    private void EndClients()
    {
        if (_threads.Wait(TellTime, CancellationToken.None)) return;

        _clients.AbortPending();
        if (_threads.Wait(RefusedClient.MaxTime, CancellationToken.None)) return;

        _clients.AbortAll();
        _ = _threads.Wait(ControlStream.MessageTime, CancellationToken.None);
    }

    private static Socket Listen(IPEndPoint local)
    {
        var listener = new Socket(local.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            if (local.AddressFamily == AddressFamily.InterNetworkV6) listener.DualMode = true;

            // .NET sets SO_REUSEADDR on Linux and macOS, so the connections of ended tests do not keep the port busy.
            listener.Bind(local);
            listener.Listen(Backlog);
            return listener;
        }
        catch (SocketException fault)
        {
            listener.Dispose();
            throw BindFault.Of(local, fault);
        }
        catch
        {
            listener.Dispose();
            throw;
        }
    }

    private void Accept()
    {
        try
        {
            var control = new ControlStream(_listener.Accept(), _time);
            if (_clients.IsFull) _clients.Refuse(control);
            else _clients.Add(control);
        }
        catch (SocketException fault) when (fault.SocketErrorCode == SocketError.TooManyOpenSockets)
        {
            _refusals.Tell($"a connection could not be accepted: {_files.LackText}");
            GiveUpOne();
        }
        catch (Exception fault) when (fault is SocketException or Iperf3Exception)
        {
            // The client has gone meanwhile: others must still be served.
            _refusals.Tell($"a connection could not be accepted: {fault.Message}");
        }
    }

    // A connection that waits gives its descriptor to the next one. Without any, the accept would be tried again at
    // once, since that connection still waits.
    private void GiveUpOne()
    {
        if (_clients.DropOldestSilent()) return;

        _clients.DropOldestPending();
        Thread.Sleep(PollTime);
    }

    private void Serve(ServerClient client, Func<IIperfObserver> newObserver, CancellationToken stop)
    {
        _clients.Serve(client);
        _threads.AddCount();
        var thread = new Thread(() => Main(client, newObserver, stop), StackBytes)
        {
            IsBackground = true,
            Name = "spate iperf3 test",
        };
        try
        {
            thread.Start();
        }
        catch (Exception fault) when (fault is OutOfMemoryException or ThreadStartException)
        {
            bool isLack = FileUsage.Read(_files.Limit).Left < MinDescriptorsLeft;
            _refusals.Tell($"no thread for {client.Control.Remote}: {(isLack ? _files.LackText : fault.Message)}");
            Leave(client);
            if (isLack) _clients.DropOldestPending();
        }
    }

    private void Main(ServerClient client, Func<IIperfObserver> newObserver, CancellationToken stop)
    {
        var test = new Iperf3ServerTest(client, _clients, _options, _acceptor, newObserver, _time, stop);
        try
        {
            if (_clients.IsFull) throw test.RefuseBusy();

            test.Run();
        }
        catch (Exception fault)
        {
            // Whatever one client does must not end the server. What a test's observer heard need not be told again.
            bool isTold = test.HasBegun || client.State == ClientState.Dropped;
            if (!isTold) _refusals.Tell(fault.Message);
            var refused = new RefusedClient(client.Control, _time);
            while (!refused.HasRead(PollTime)) { }
        }
        finally
        {
            // Tests end on many threads: none may write back a false that it read before another one's true.
            if (test.HasBegun) _hasEndedOne = true;
            Leave(client);
        }
    }

    private void Leave(ServerClient client)
    {
        _clients.Close(client);
        _ = _threads.Signal();
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
                return $"the process is near its limit of open files: {Raise} {MinWanted}' {Shell}";
            }

            long wanted = Math.Max(4L * limit, MinWanted);
            return $"the process is near its limit of {limit} open files: {Raise} {wanted}' {Shell}, "
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
