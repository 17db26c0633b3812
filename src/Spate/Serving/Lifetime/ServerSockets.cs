using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.ExceptionServices;
using Spate.Hashing;
using Spate.Serving.Steering;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The sockets of a server: one for each local end point, or one for each local end point and shard with a program that
/// chooses the shard. The counters of closed sockets are kept.
/// </summary>
internal sealed class ServerSockets : IDisposable
{
    private const int CountedSlots = 8;

    /// <summary>
    /// The time limit for counting queued datagrams: if arrivals cannot be refused, the queue may never become empty.
    /// Counting a full buffer takes some milliseconds.
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

    /// <summary>The number of sockets that each thread has to itself.</summary>
    public int SocketsPerThread => _plan.Traits.SharesSocket ? 0 : _endPoints.Length;

    /// <summary>The number of datagrams that were still queued after the drain timeout.</summary>
    public long Unhandled => Interlocked.Read(ref _unhandled);

    public bool CoalescedReceive => _shards[0][0].CoalescedReceive;

    public bool SegmentedSend => _shards[0][0].SegmentedSend;

    public int ReceiveBufferBytes => _shards[0][0].ReceiveBufferBytes;

    public int SendBufferBytes => _shards[0][0].SendBufferBytes;

    /// <summary>
    /// Opens the sockets of one more shard, or the shared ones. A program returns the place of a socket in its group,
    /// which is the order of binding, so shards are opened in the order of their indexes.
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

        // If the system chose a port, further shards use the same port.
        if (_shards.Count == 0) _endPoints = [.. opened.Select(socket => socket.LocalEndPoint)];
        lock (_lock) _shards.Add([.. opened]);
        return [.. opened];
    }

    /// <summary>
    /// Called when all shards of the start are open. From now on they receive. Earlier datagrams were refused, because
    /// a peer would have reached a shard with which it does not stay.
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

    /// <summary>Divides the datagrams among the first shards from now on.</summary>
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

    /// <summary>Stops arrivals, so that the queues can become empty.</summary>
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
                // A failed thread has closed the socket, or the socket's filter is locked. Then only the drain timeout
                // ends the handling of queued datagrams.
            }
        }
    }

    /// <summary>
    /// Takes sockets of a shard out of the kernel's lookups, after the program has stopped naming them. A closed socket
    /// leaves its group first and the kernel's table a moment later. A datagram that finds the socket in between is
    /// lost (udp_lib_unhash, as seen on Linux 6.18). No datagram finds a socket that is bound to an interface that does
    /// not exist, not even a broadcast, which reaches every socket of a group. Such a socket keeps its queued datagrams
    /// and cannot send.
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
                // An abandoned thread has ended after all and has closed the socket.
            }
        }

        RcuGracePeriod.Wait();
    }

    public UdpSocket[] Of(int shardIndex) => _shards[shardIndex];

    /// <summary>
    /// Receives the queued datagrams and counts them, without giving them to a handler. If only one thread may receive
    /// from a socket, the caller must be that thread.
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
    /// Counts the queued datagrams of an abandoned thread's sockets, if another thread may receive from these sockets.
    /// </summary>
    public void CountLeftBehind(UdpSocket[] sockets)
    {
        try
        {
            CountUnhandled(sockets);
        }
        catch (InvalidOperationException)
        {
            // Only the stuck thread may receive from its ring, so datagrams in the ring are not counted.
        }
    }

    /// <summary>
    /// Closes the sockets of all shards after the first <paramref name="shardCount"/>. No program names them any more.
    /// </summary>
    public void CloseAfter(int shardCount)
    {
        while (_shards.Count > shardCount)
        {
            foreach (UdpSocket socket in _shards[^1]) socket.Dispose();
            lock (_lock)
            {
                // The sum replaces its parts, so that the list does not grow as shards come and go.
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
    /// Closes all sockets. An exception, which a continuation that runs inline can throw, is thrown after the last one.
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

    // If 0.0.0.0 has a socket of its own, the socket of :: leaves IPv4 to it: both would need the same port otherwise.
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

    // A single shard need not refuse anything: every peer reaches it from the beginning.
    private bool RefusesArrivals =>
        !_hasBegun && _options.ReusePort && _plan.ThreadCount > 1 && OperatingSystem.IsLinux();

    // With SO_REUSEPORT a second server of the same user would get a share of the traffic instead of a refusal, so
    // ports are tried without the option first.
    private void RequireFreePorts()
    {
        foreach (UdpEndPoint endPoint in _endPoints) UdpSocket.RequireFreePort(endPoint, OptionsFor(endPoint));
    }
}
