using System.Diagnostics;
using System.Net.Sockets;
using Spate.Hashing;
using Spate.Serving.Shards;
using Spate.Serving.Steering;
using Spate.Sockets;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The sockets of a server. If all threads share the sockets, there is one socket for each local end point. Otherwise
/// each shard has its own socket for each local end point, and the kernel chooses the shard of each datagram by a
/// steering program or by its own hash. <see cref="Close"/> is the only place that closes them. It also counts the
/// datagrams that no handler got, and keeps the counters.
/// </summary>
internal sealed class ServerSockets
{
    private const int CountedSlots = 8;

    /// <summary>
    /// The longest time for counting queued datagrams. If arrivals cannot be refused, the queue may never become empty.
    /// Counting the datagrams of a full receive buffer takes some milliseconds.
    /// </summary>
    private static readonly TimeSpan MaxCountTime = TimeSpan.FromMilliseconds(200);

    private readonly ResolvedServerOptions _plan;
    private readonly UdpSocketOptions _options;
    private readonly List<UdpSocket[]> _open = [];
    private readonly Lock _lock = new();
    private readonly uint _steeringKey = (uint)KeyedHash.CreateRandom().Hash(0UL);
    private UdpEndPoint[] _endPoints;
    private UdpSocket[]? _first;
    private UdpCounters[] _closed = [];
    private long _unhandled;
    private bool _hasBegun;

    public ServerSockets(ResolvedServerOptions plan)
    {
        _plan = plan;
        _endPoints = [.. plan.Options.LocalEndPoints];
        _options = plan.Options.Socket with
        {
            Name = plan.Options.Socket.Name ?? plan.Options.Name,
            ReusePort = !plan.Traits.SharesSocket && plan.Shards == ShardSockets.ReusePort,
            CoalescedReceive = plan.Traits.OnePerCall ? false : plan.Options.Socket.CoalescedReceive,
            PreferredBackend = plan.Traits.PreferredBackend,
            RingPayloadBytes = plan.ReceiveBatch.SlotBytes,
            SingleReader = !plan.Traits.SharesSocket || plan.Traits.HasReader,
            NotifiesBy = plan.Wait == UdpServerWait.Spinning
                ? UdpSocketOptions.RioNotification.Nothing
                : UdpSocketOptions.RioNotification.Event,
            PostsOnThread = plan.Traits.HasReader,
        };
    }

    public IReadOnlyList<UdpEndPoint> EndPoints => _endPoints;

    /// <summary>The sockets of the first shard, or the sockets that all threads share.</summary>
    public UdpSocket[] First => _first!;

    /// <summary>The number of sockets that belong to each thread alone; 0 if the threads share all sockets.</summary>
    public int SocketsPerThread => _plan.Traits.SharesSocket ? 0 : _endPoints.Length;

    /// <summary>The number of datagrams that no handler got.</summary>
    public long Unhandled => Interlocked.Read(ref _unhandled);

    /// <summary>
    /// Opens the sockets of the next shard. If all threads share the sockets, only the first call opens them. Shards
    /// must be opened in the order of their indexes: a steering program returns the position of a socket in its
    /// SO_REUSEPORT group, and the kernel numbers the sockets of a group in the order of binding.
    /// </summary>
    public UdpSocket[] Open(int shardIndex)
    {
        if (_first is not null && _plan.Traits.SharesSocket) return _first;
        Debug.Assert(
            (_first is null) == (shardIndex == 0), "The first shard chooses the ports, and the others bind to them.");
        if (_first is null && (_options.ReusePort || HasProcessors)) RequireFreePorts();
        List<UdpSocket> opened = [];
        try
        {
            foreach (UdpEndPoint endPoint in _endPoints)
                opened.Add(UdpSocket.Bind(endPoint, OptionsFor(endPoint, shardIndex)));
        }
        catch
        {
            Close([Keep(opened)]);
            throw;
        }

        // A server receives batches only, so coalesced receive begins before the first datagram comes.
        opened.ForEach(static socket => socket.BeginBatches());

        // If the system chose a port for the first shard, the other shards use the same port.
        if (_first is null) _endPoints = [.. opened.Select(socket => socket.LocalEndPoint)];
        int cpuIndex = _options.ReusePort && _plan.Steering == UdpSteering.Cpu ? _plan.CpuOf(shardIndex) : -1;
        if (cpuIndex >= 0) opened.ForEach(socket => socket.PreferCpu(cpuIndex));
        UdpSocket[] sockets = Keep(opened);
        _first ??= sockets;
        return sockets;
    }

    /// <summary>
    /// Attaches the steering program and then lets the sockets receive. Called when all shards that the server starts
    /// with have their sockets. Until then these sockets refuse datagrams, because a datagram could reach another shard
    /// than the later datagrams of its peer. Further calls do nothing.
    /// </summary>
    public void Begin(int shardCount)
    {
        if (_hasBegun) return;
        Steer(shardCount);
        bool hasRefused = RefusesArrivals;
        _hasBegun = true;
        if (!hasRefused) return;
        RcuGracePeriod.Wait();
        foreach (UdpSocket socket in AllOpen()) socket.AdmitArrivals();
    }

    /// <summary>
    /// Attaches a program that divides new datagrams among the first <paramref name="shardCount"/> shards. Does nothing
    /// if the kernel's own hash chooses the shard, or if the sockets are not in SO_REUSEPORT groups.
    /// </summary>
    public void Steer(int shardCount)
    {
        if (!_options.ReusePort || _plan.Steering == UdpSteering.Kernel) return;
        Debug.Assert(shardCount > 0 && _first is not null, "A program names open sockets only.");
        var program = _plan.Steering switch
        {
            UdpSteering.Cpu => SteeringProgram.ByCpu(shardCount, _plan.CpuOf),
            UdpSteering.Spread => SteeringProgram.ByChance(shardCount),
            _ => SteeringProgram.ByFlow(shardCount, _steeringKey | 1),
        };
        foreach (UdpSocket socket in First) socket.SteerGroup(program);
    }

    /// <summary>Makes the sockets refuse new datagrams (on Linux), so that their queues can become empty.</summary>
    public void RefuseArrivals()
    {
        if (OperatingSystem.IsLinux()) Change(AllOpen(), socket => socket.RefuseArrivals(), mayBeRefused: true);
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
        Change(sockets, socket => socket.Hide(), mayBeRefused: false);
        RcuGracePeriod.Wait();
    }

    /// <summary>
    /// Ends receiving: counts the queued datagrams, which no handler will get, and ends the receive that a socket may
    /// have in the kernel. The sockets can still send. Only the thread that has received can empty an io_uring, so it
    /// makes this call when it ends. If another thread calls, the datagrams in the ring are not counted here: completed
    /// ones count as unread when the socket closes.
    /// </summary>
    public void EndReceiving(UdpSocket[] sockets)
    {
        try
        {
            CountQueued(sockets);
        }
        catch (InvalidOperationException)
        {
            // The ring of another thread, or the sockets are already closed.
        }

        foreach (UdpSocket socket in sockets) socket.EndReceiving();
    }

    /// <summary>Counts datagrams that were received, but that no handler got.</summary>
    public void CountUnhandled(int datagramCount) => Interlocked.Add(ref _unhandled, datagramCount);

    /// <summary>Closes all sockets that are still open, except those of the shards that go on.</summary>
    public void CloseAllBut(IEnumerable<UdpSocket[]> kept)
    {
        UdpSocket[][] others;
        lock (_lock) others = [.. _open.Except(kept)];
        Close(others);
    }

    /// <summary>
    /// Ends receiving and closes the sockets of these shards; sockets that are already closed do not matter. The
    /// thread of a shard closes the sockets of that shard, as its last step; the server closes those that threads share
    /// and those of abandoned threads. If the server goes on, the steering programs must have stopped choosing the
    /// sockets: a closed socket gives its position in its group to the last one.
    /// </summary>
    /// <remarks>
    /// Closing a socket can throw, because it may run a synchronous continuation that throws. The other sockets are
    /// closed even then, and the first exception is thrown at the end.
    /// </remarks>
    public void Close(UdpSocket[][] shards)
    {
        EndingFault fault = new();
        foreach (UdpSocket[] sockets in shards)
        {
            fault.Try(() => EndReceiving(sockets));
            foreach (UdpSocket socket in sockets) fault.Try(socket.Close);
            lock (_lock)
            {
                // Only the sum is kept, so that _closed does not grow when shards are added and taken away again and
                // again.
                bool hasCounters = _open.Remove(sockets) && sockets.Length > 0;
                if (hasCounters) _closed = [CounterSum.Of(CountersOf(sockets).Concat(_closed))];
            }
        }

        fault.Throw();
    }

    public UdpCounters ReadCounters()
    {
        lock (_lock) return CounterSum.Of(_open.SelectMany(CountersOf).Concat(_closed));
    }

    private static IEnumerable<UdpCounters> CountersOf(UdpSocket[] sockets) =>
        sockets.Select(socket => socket.GetCounters());

    private static void Change(UdpSocket[] sockets, Action<UdpSocket> change, bool mayBeRefused)
    {
        foreach (UdpSocket socket in sockets)
        {
            try
            {
                change(socket);
            }
            catch (ObjectDisposedException)
            {
                // A thread that failed or was abandoned has closed the socket.
            }
            catch (SocketException) when (mayBeRefused)
            {
                // The socket's filter is locked (SO_LOCK_FILTER). Datagrams keep arriving then, and only the drain
                // timeout limits how long they are handled.
            }
        }
    }

    private UdpSocket[] AllOpen()
    {
        lock (_lock) return [.. _open.SelectMany(shard => shard)];
    }

    private UdpSocket[] Keep(List<UdpSocket> opened)
    {
        UdpSocket[] sockets = [.. opened];
        lock (_lock) _open.Add(sockets);
        return sockets;
    }

    private void CountQueued(UdpSocket[] sockets)
    {
        if (sockets.Length == 0) return;
        long start = Stopwatch.GetTimestamp();
        using ReceiveBatch batch = sockets[0].CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = CountedSlots });
        foreach (UdpSocket socket in sockets)
        {
            while (socket.TryReceive(batch) == ReceiveStatus.Received)
            {
                CountUnhandled(batch.Count);
                if (Stopwatch.GetElapsedTime(start) > MaxCountTime) return;
            }
        }
    }

    // If the options name 0.0.0.0 and :: with the same port, the socket of :: is opened for IPv6 only. Otherwise both
    // sockets would need the same IPv4 port.
    private UdpSocketOptions OptionsFor(UdpEndPoint endPoint, int shardIndex)
    {
        bool leavesIPv4 = endPoint == UdpEndPoint.IPv6Any(endPoint.Port)
            && endPoint.Port != 0
            && _endPoints.Contains(UdpEndPoint.Any(endPoint.Port));
        return _options with
        {
            DualMode = _options.DualMode && !leavesIPv4,
            RefusesArrivals = RefusesArrivals,
            ProcessorIndex = HasProcessors ? shardIndex : null,
        };
    }

    // Whether each socket has a processor of its own. With a single shard, the socket gets the datagrams of all.
    private bool HasProcessors =>
        !_plan.Traits.SharesSocket && _plan.Shards == ShardSockets.Processors && _plan.ThreadCount > 1;

    // Whether a new socket refuses datagrams until Begin. With a single shard, no socket refuses datagrams, because
    // every peer reaches this shard from the beginning.
    private bool RefusesArrivals =>
        !_hasBegun && _options.ReusePort && _plan.ThreadCount > 1 && OperatingSystem.IsLinux();

    // Throws if a port is in use. It opens the ports without SO_REUSEPORT for this check: with the option, a second
    // server of the same user would get a part of the first server's datagrams instead of an error.
    private void RequireFreePorts()
    {
        foreach (UdpEndPoint endPoint in _endPoints)
            UdpSocket.RequireFreePort(endPoint, OptionsFor(endPoint, shardIndex: 0));
    }
}

/// <summary>Adds up the counters of several sockets.</summary>
internal static class CounterSum
{
    public static UdpCounters Of(IEnumerable<UdpCounters> all) => all.Aggregate((sum, next) => Add(sum, next));

    private static UdpCounters Add(in UdpCounters sum, in UdpCounters next) => sum with
    {
        DatagramsReceived = sum.DatagramsReceived + next.DatagramsReceived,
        BytesReceived = sum.BytesReceived + next.BytesReceived,
        ReceiveCalls = sum.ReceiveCalls + next.ReceiveCalls,
        BuffersReceived = sum.BuffersReceived + next.BuffersReceived,
        DatagramsUnread = sum.DatagramsUnread + next.DatagramsUnread,
        DatagramsTruncated = sum.DatagramsTruncated + next.DatagramsTruncated,
        DatagramsSent = sum.DatagramsSent + next.DatagramsSent,
        BytesSent = sum.BytesSent + next.BytesSent,
        SendCalls = sum.SendCalls + next.SendCalls,
        MessagesSent = sum.MessagesSent + next.MessagesSent,
        DatagramsRefused = sum.DatagramsRefused + next.DatagramsRefused,
        NoBufferEvents = sum.NoBufferEvents + next.NoBufferEvents,
        IcmpErrors = sum.IcmpErrors + next.IcmpErrors,
        UnknownErrors = sum.UnknownErrors + next.UnknownErrors,
        GsoFallbacks = sum.GsoFallbacks + next.GsoFallbacks,
        KernelDrops = sum.KernelDrops + next.KernelDrops,
        KernelDropUnit = sum.KernelDropUnit == next.KernelDropUnit ? sum.KernelDropUnit : UdpDropUnit.None,
    };
}
