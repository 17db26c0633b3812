using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.ExceptionServices;
using Spate.Hashing;
using Spate.Serving.Steering;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The sockets of a server. If all threads share the sockets, there is one socket for each local end point. Otherwise
/// each shard has its own socket for each local end point, and the kernel chooses the shard of each datagram by a
/// steering program or by its own hash. The counters of closed sockets are kept.
/// </summary>
internal sealed class ServerSockets : IDisposable
{
    private const int CountedSlots = 8;

    /// <summary>
    /// The longest time for counting queued datagrams. If arrivals cannot be refused, the queue may never become empty.
    /// Counting the datagrams of a full receive buffer takes some milliseconds.
    /// </summary>
    private static readonly TimeSpan MaxCountTime = TimeSpan.FromMilliseconds(200);

    private readonly ResolvedServerOptions _plan;
    private readonly UdpSocketOptions _options;
    private readonly List<UdpSocket[]> _shards = [];
    private readonly List<UdpCounters> _closed = [];
    private readonly Lock _lock = new();
    private readonly uint _steeringKey = (uint)KeyedHash.CreateRandom().Hash(0UL);
    private UdpEndPoint[] _endPoints;
    private long _unhandled;
    private bool _hasBegun;

    public ServerSockets(ResolvedServerOptions plan)
    {
        _plan = plan;
        _endPoints = [.. plan.Options.LocalEndPoints];
        _options = plan.Options.Socket with
        {
            Name = plan.Options.Socket.Name ?? plan.Options.Name,
            ReusePort = !plan.Traits.SharesSocket && SupportsShards,
            CoalescedReceive = plan.Options.Socket.CoalescedReceive && !plan.Traits.OnePerCall,
            PreferredBackend = plan.Traits.PreferredBackend,
            RingPayloadBytes = plan.Receive.SlotBytes,
            OneReceivingThread = !plan.Traits.SharesSocket || plan.Traits.HasReader,
        };
    }

    public static bool SupportsShards => OperatingSystem.IsLinux() || OperatingSystem.IsMacOS();

    public IReadOnlyList<UdpEndPoint> EndPoints => _endPoints;

    public UdpBackend Backend => _shards[0][0].Backend;

    /// <summary>The number of sockets that belong to each thread alone; 0 if the threads share all sockets.</summary>
    public int SocketsPerThread => _plan.Traits.SharesSocket ? 0 : _endPoints.Length;

    /// <summary>The number of datagrams that were still queued after the drain timeout.</summary>
    public long Unhandled => Interlocked.Read(ref _unhandled);

    public bool CoalescedReceive => _shards[0][0].CoalescedReceive;

    public bool SegmentedSend => _shards[0][0].SegmentedSend;

    public int ReceiveBufferBytes => _shards[0][0].ReceiveBufferBytes;

    public int SendBufferBytes => _shards[0][0].SendBufferBytes;

    /// <summary>
    /// Opens the sockets of the next shard, or the sockets that all threads share. Shards must be opened in the order
    /// of their indexes: a steering program returns the position of a socket in its SO_REUSEPORT group, and the kernel
    /// numbers the sockets of a group in the order of binding.
    /// </summary>
    public UdpSocket[] Open()
    {
        if (_shards.Count == 0 && _options.ReusePort) RequireFreePorts();
        List<UdpSocket> opened = [];
        try
        {
            foreach (UdpEndPoint endPoint in _endPoints) opened.Add(UdpSocket.Bind(endPoint, OptionsFor(endPoint)));
        }
        catch
        {
            opened.ForEach(socket => socket.Dispose());
            throw;
        }

        // If the system chose a port for the first shard, the other shards use the same port.
        if (_shards.Count == 0) _endPoints = [.. opened.Select(socket => socket.LocalEndPoint)];
        lock (_lock) _shards.Add([.. opened]);
        return [.. opened];
    }

    /// <summary>
    /// Attaches the steering program and then lets the sockets receive. Called when all shards that the server starts
    /// with have their sockets. Until then these sockets refuse datagrams, because a datagram could reach another shard
    /// than the later datagrams of its peer.
    /// </summary>
    public void Begin(int shardCount)
    {
        Steer(shardCount);
        bool hasRefused = RefusesArrivals;
        _hasBegun = true;
        if (!hasRefused) return;
        RcuGracePeriod.Wait();
        foreach (UdpSocket socket in _shards.SelectMany(shard => shard)) socket.AdmitArrivals();
    }

    /// <summary>
    /// Attaches a program that divides new datagrams among the first <paramref name="shardCount"/> shards. Does nothing
    /// if the kernel's own hash chooses the shard, or if the sockets are not in SO_REUSEPORT groups.
    /// </summary>
    public void Steer(int shardCount)
    {
        if (!_options.ReusePort || _plan.Steering == UdpSteering.Kernel) return;
        var program = _plan.Steering switch
        {
            UdpSteering.Cpu => SteeringProgram.ByCpu(shardCount, _plan.CpuOf),
            UdpSteering.Spread => SteeringProgram.ByChance(shardCount),
            _ => SteeringProgram.ByFlow(shardCount, _steeringKey | 1),
        };
        for (int i = 0; i < _endPoints.Length; i++) _shards[0][i].SteerGroup(program);
        if (_plan.Steering != UdpSteering.Cpu) return;
        for (int shard = 0; shard < shardCount; shard++)
        {
            if (_plan.CpuOf(shard) < 0) continue;
            foreach (UdpSocket socket in _shards[shard]) socket.PreferCpu(_plan.CpuOf(shard));
        }
    }

    /// <summary>Makes the sockets refuse new datagrams (on Linux), so that their queues can become empty.</summary>
    public void RefuseArrivals()
    {
        if (!OperatingSystem.IsLinux()) return;
        foreach (UdpSocket socket in _shards.SelectMany(shard => shard))
        {
            try
            {
                socket.RefuseArrivals();
            }
            catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
            {
                // A thread that failed has closed the socket, or the socket's filter is locked (SO_LOCK_FILTER). With a
                // locked filter datagrams keep arriving, and only the drain timeout limits how long they are handled.
            }
        }
    }

    /// <summary>
    /// Hides the sockets of a shard from the kernel's lookups, after the steering program has stopped choosing them.
    /// Closing them without this step could lose datagrams: a closed socket leaves its group first and the kernel's
    /// table a moment later, and a datagram that finds the socket in between is lost (udp_lib_unhash, as seen on Linux
    /// 6.18). So each socket is bound to an interface that does not exist. No datagram finds such a socket, not even a
    /// broadcast, which otherwise reaches every socket of a group. The socket keeps its queued datagrams, but can no
    /// longer send.
    /// </summary>
    public static void Hide(UdpSocket[] sockets)
    {
        foreach (UdpSocket socket in sockets)
        {
            try
            {
                socket.Hide();
            }
            catch (ObjectDisposedException)
            {
                // An abandoned thread has ended in the meantime and has closed the socket.
            }
        }

        RcuGracePeriod.Wait();
    }

    public UdpSocket[] Of(int shardIndex) => _shards[shardIndex];

    /// <summary>
    /// Counts the queued datagrams by receiving them; no handler gets them. If only one thread may receive from a
    /// socket, the caller must be that thread.
    /// </summary>
    public void CountUnhandled(UdpSocket[] sockets)
    {
        long start = Stopwatch.GetTimestamp();
        using ReceiveBatch batch = sockets[0].CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = CountedSlots });
        foreach (UdpSocket socket in sockets)
        {
            while (socket.TryReceive(batch) == ReceiveStatus.Received)
            {
                Interlocked.Add(ref _unhandled, batch.Count);
                if (Stopwatch.GetElapsedTime(start) > MaxCountTime) return;
            }
        }
    }

    /// <summary>Counts the datagrams that are queued in the sockets that all threads share.</summary>
    public void CountUnhandled()
    {
        foreach (UdpSocket[] sockets in _shards) CountUnhandled(sockets);
    }

    /// <summary>
    /// Counts the queued datagrams in the sockets of an abandoned thread, if another thread may receive from these
    /// sockets.
    /// </summary>
    public void CountLeftBehind(UdpSocket[] sockets)
    {
        try
        {
            CountUnhandled(sockets);
        }
        catch (InvalidOperationException)
        {
            // Only the stuck thread may receive from its io_uring, so the datagrams in that ring are not counted.
        }
    }

    /// <summary>
    /// Closes the sockets of all shards except the first <paramref name="shardCount"/>. Before the call, the steering
    /// programs must have stopped choosing these sockets.
    /// </summary>
    public void CloseAfter(int shardCount)
    {
        while (_shards.Count > shardCount)
        {
            foreach (UdpSocket socket in _shards[^1]) socket.Dispose();
            lock (_lock)
            {
                // Of all closed sockets only the sum of the counters is kept, so that _closed does not grow when shards
                // are added and taken away again and again.
                UdpCounters sum = CounterSum.Of(_closed.Concat(CountersOf(_shards[^1])));
                _closed.Clear();
                _closed.Add(sum);
                _shards.RemoveAt(_shards.Count - 1);
            }
        }
    }

    public UdpCounters ReadCounters()
    {
        lock (_lock) return CounterSum.Of(_shards.SelectMany(CountersOf).Concat(_closed));
    }

    /// <summary>
    /// Closes all sockets. Closing a socket can throw, because it may run an inline continuation that throws. The other
    /// sockets are closed even then, and the first exception is thrown at the end.
    /// </summary>
    public void Dispose()
    {
        ExceptionDispatchInfo? first = null;
        foreach (UdpSocket socket in _shards.SelectMany(shard => shard))
        {
            try
            {
                socket.Dispose();
            }
            catch (Exception fault)
            {
                first ??= ExceptionDispatchInfo.Capture(fault);
            }
        }

        first?.Throw();
    }

    private static IEnumerable<UdpCounters> CountersOf(UdpSocket[] sockets) =>
        sockets.Select(socket => socket.GetCounters());

    // If the options name 0.0.0.0 and :: with the same port, the socket of :: is opened for IPv6 only. Otherwise both
    // sockets would need the same IPv4 port.
    private UdpSocketOptions OptionsFor(UdpEndPoint endPoint)
    {
        bool leavesIPv4 = endPoint == UdpEndPoint.IPv6Any(endPoint.Port)
            && endPoint.Port != 0
            && _endPoints.Contains(UdpEndPoint.Any(endPoint.Port));
        return _options with
        {
            DualStack = _options.DualStack && !leavesIPv4,
            RefusesArrivals = RefusesArrivals,
        };
    }

    // Whether a new socket refuses datagrams until Begin. With a single shard, no socket refuses datagrams, because
    // every peer reaches this shard from the beginning.
    private bool RefusesArrivals =>
        !_hasBegun && _options.ReusePort && _plan.ThreadCount > 1 && OperatingSystem.IsLinux();

    // Throws if a port is in use. It opens the ports without SO_REUSEPORT for this check: with the option, a second
    // server of the same user would get a part of the first server's datagrams instead of an error.
    private void RequireFreePorts()
    {
        foreach (UdpEndPoint endPoint in _endPoints) UdpSocket.RequireFreePort(endPoint, OptionsFor(endPoint));
    }
}
