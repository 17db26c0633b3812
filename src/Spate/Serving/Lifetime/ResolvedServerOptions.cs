using System.Diagnostics;
using Spate.Serving.Shards;
using Spate.Serving.Threading;
using Spate.Sockets;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The options of a server, checked and with every default filled in, and the number of its threads.
/// </summary>
internal sealed class ResolvedServerOptions
{
    /// <summary>
    /// The index of the reader, the thread that receives for the workers. Shards have indexes from 0.
    /// </summary>
    public const int ReaderIndex = -1;

    public const int MaxThreadCount = 256;

    /// <summary>The end of messages about servers that do not keep peers.</summary>
    public const string HowToKeepPeers =
        "use UdpServerDesign.Sharded with a steering other than Cpu and Spread, or ThreadCount = 1";

    /// <summary>
    /// The largest number of datagrams that one buffer brings. The kernel joins at most 64 (UDP_GRO_CNT_MAX), but a GSO
    /// message from this host arrives in one buffer too, and has up to 128 since Linux 6.9 (UDP_MAX_SEGMENTS).
    /// </summary>
    private const int MaxDatagramsPerSlot = 128;

    private const int ReplyBufferBytes = 512 * 1024;
    private const int MaxEndPointCount = 64;
    private const int MaxBatchCount = 1024;
    private const int MaxWakeThreshold = 1 << 20;

    private static readonly TimeSpan MaxTime = TimeSpan.FromMilliseconds(int.MaxValue);

    private readonly int[] _cpuIndexes;
    private readonly Lock _promiseLock = new();
    private readonly bool _hasBegun;
    private int _threadCount;
    private int _maxThreadCount;
    private bool _hasSessions;

    /// <param name="options">The options as the user set them.</param>
    /// <param name="handlerFactory">Makes the handler of a shard.</param>
    /// <param name="shards">How shards share a port; null for the way of this system. Tests set it.</param>
    /// <exception cref="ArgumentException">An option is out of its range. Nothing was opened yet.</exception>
    public ResolvedServerOptions(
        UdpServerOptions options, Func<UdpShard, UdpHandler> handlerFactory, ShardSockets? shards = null)
    {
        Check(options);
        Traits = options.Design.Traits;
        Shards = Traits.SharesSocket ? ShardSockets.None : shards ?? ShardSocketsChoice.Of(options.Socket);
        Options = options;
        HandlerFactory = handlerFactory;
        Account = new ServerMetrics(options.Name);
        _cpuIndexes = [.. options.Cpus];
        Faults = new FaultLog(options.Socket.TimeProvider, options.OnFault);
        _threadCount = options.ThreadCount ?? DefaultThreadCount();
        Steering = options.Steering != UdpSteering.Automatic ? options.Steering
            : OperatingSystem.IsLinux() ? UdpSteering.FlowHash : UdpSteering.Kernel;
        Wait = options.Wait != UdpServerWait.Automatic ? options.Wait : Traits.Wait;
        ReceiveBatch = Traits.OnePerCall ? options.ReceiveBatch with { SlotCount = 1 } : options.ReceiveBatch;
        BeginChange(_threadCount);
        _hasBegun = true;
    }

    public UdpServerOptions Options { get; }

    public Func<UdpShard, UdpHandler> HandlerFactory { get; }

    public DesignTraits Traits { get; }

    public ShardSockets Shards { get; }

    public FaultLog Faults { get; }

    public ServerMetrics Account { get; }

    public UdpSteering Steering { get; }

    public UdpServerWait Wait { get; }

    public ReceiveBatchOptions ReceiveBatch { get; }

    public int ThreadCount
    {
        get => Volatile.Read(ref _threadCount);
        set
        {
            Debug.Assert(value > 0 && value <= Volatile.Read(ref _maxThreadCount), "BeginChange comes first.");
            Volatile.Write(ref _threadCount, value);
        }
    }

    /// <summary>
    /// Whether all datagrams of a peer are handled by one thread. Threads that are being added already count, because
    /// the first of them receive datagrams before the last has started.
    /// </summary>
    public bool KeepsPeers => KeepsPeersWith(Volatile.Read(ref _maxThreadCount));

    /// <summary>
    /// The number of batches in a design with a reader. Default: two for each worker, and four more that the reader can
    /// fill while the workers handle theirs.
    /// </summary>
    public int BatchCount => Options.BatchCount ?? 4 + (2 * ThreadCount);

    /// <summary>
    /// Called before the number of threads changes. Throws if the change would lose queued datagrams, would need
    /// SO_REUSEPORT on a system without it, or would move the peers of a handler that keeps sessions. Until
    /// <see cref="EndChange"/>, <see cref="KeepsPeers"/> uses the greater of the old and the new number.
    /// </summary>
    public void BeginChange(int threadCount)
    {
        if (threadCount < ThreadCount && !Traits.SharesSocket && Steering == UdpSteering.Kernel)
        {
            throw new NotSupportedException(
                "Under Steering.Kernel a shard cannot be taken away without losing what its socket has queued: "
                + "start the server with Steering.FlowHash or Steering.Cpu.");
        }

        // No page of Microsoft names the socket that gets the datagrams of a processor without one.
        bool leavesProcessors = threadCount > 1 && threadCount != Environment.ProcessorCount;
        bool changes = _hasBegun && threadCount != ThreadCount;
        if (Shards == ShardSockets.Processors && (leavesProcessors || changes))
        {
            throw new NotSupportedException(
                "On this system a port has either one socket or one for each CPU: start the server with 1 or "
                + $"{Environment.ProcessorCount} threads, or use another design.");
        }

        if (threadCount > 1 && !Traits.SharesSocket && Shards == ShardSockets.None)
        {
            throw new NotSupportedException(
                "Several shards need SO_REUSEPORT, which this system does not have: use one thread or another design.");
        }

        lock (_promiseLock)
        {
            if (_hasSessions && !KeepsPeersWith(threadCount))
            {
                throw new NotSupportedException(
                    "The server's one thread keeps sessions, and more threads would not keep peers: "
                    + $"{HowToKeepPeers}.");
            }

            Volatile.Write(ref _maxThreadCount, Math.Max(threadCount, ThreadCount));
        }
    }

    /// <summary>
    /// Called when the change is done or has failed: <see cref="KeepsPeers"/> again uses the present number of threads.
    /// </summary>
    public void EndChange() => Volatile.Write(ref _maxThreadCount, ThreadCount);

    /// <summary>
    /// Called before a handler gets a session table. If the server keeps peers now, the method returns true, and from
    /// then on <see cref="BeginChange"/> refuses numbers of threads with which peers are not kept. Otherwise it returns
    /// false. Both methods use one lock, so that each sees the decision of the other.
    /// </summary>
    public bool TryPromiseSessions()
    {
        lock (_promiseLock) return _hasSessions = _hasSessions || KeepsPeers;
    }

    public int CpuOf(int threadIndex)
    {
        Debug.Assert(threadIndex >= (Traits.HasReader ? ReaderIndex : 0));
        if (_cpuIndexes.Length == 0) return -1;
        return _cpuIndexes[(threadIndex + (Traits.HasReader ? 1 : 0)) % _cpuIndexes.Length];
    }

    /// <summary>
    /// The options of the reply batches for this socket. Their default capacity is the largest number of datagrams that
    /// one receive can return, but at least 64 and at most 65,536. So a handler that forwards each datagram once never
    /// finds its batch full.
    /// </summary>
    public SendBatchOptions RepliesFor(UdpSocket socket)
    {
        int maxAtOnce = socket.CoalescedReceive
            ? (ReceiveBatch.SlotCount ?? ReceiveBatchOptions.DefaultCoalescedSlotCount) * MaxDatagramsPerSlot
            : ReceiveBatch.SlotCount ?? ReceiveBatchOptions.DefaultSlotCount;
        return Options.ReplyBatch with
        {
            Capacity = Options.ReplyBatch.Capacity ?? Math.Clamp(maxAtOnce, 64, 65_536),
            BufferBytes = Options.ReplyBatch.BufferBytes ?? ReplyBufferBytes,
        };
    }

    private static void Check(UdpServerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options.LocalEndPoints, nameof(options.LocalEndPoints));
        ArgumentNullException.ThrowIfNull(options.Cpus, nameof(options.Cpus));
        ArgumentNullException.ThrowIfNull(options.Socket, nameof(options.Socket));
        ArgumentNullException.ThrowIfNull(options.ReceiveBatch, nameof(options.ReceiveBatch));
        ArgumentNullException.ThrowIfNull(options.ReplyBatch, nameof(options.ReplyBatch));
        ArgumentNullException.ThrowIfNull(options.Design, nameof(options.Design));
        OptionChecks.RequireNamed(options.Wait, nameof(options.Wait));
        OptionChecks.RequireNamed(options.Steering, nameof(options.Steering));
        OptionChecks.RequireName(options.Name, nameof(options.Name));
        CheckEndPoints(options.LocalEndPoints, nameof(options.LocalEndPoints));
        OptionChecks.RequireRange(
            options.ThreadCount ?? 1, 1, MaxThreadCount, nameof(options.ThreadCount));
        OptionChecks.RequireRange(options.WakeThreshold, 1, MaxWakeThreshold, nameof(options.WakeThreshold));
        OptionChecks.RequireRange(options.BatchCount ?? 2, 2, MaxBatchCount, nameof(options.BatchCount));
        foreach (int cpuIndex in options.Cpus)
            OptionChecks.RequireRange(cpuIndex, 0, int.MaxValue, nameof(options.Cpus));
        if (options.TickInterval is { } tickInterval)
        {
            CheckTime(tickInterval, TimeSpan.FromMilliseconds(1), nameof(options.TickInterval));
        }
        CheckTime(options.ReplyTimeout, TimeSpan.Zero, nameof(options.ReplyTimeout));
        bool needsFilter = options.Steering is UdpSteering.FlowHash or UdpSteering.Cpu or UdpSteering.Spread;
        if (needsFilter && !OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException(
                $"Steering by {options.Steering} is possible on Linux only: leave Steering at Automatic.");
        }
    }

    private static void CheckEndPoints(IReadOnlyList<UdpEndPoint> endPoints, string name)
    {
        if (endPoints.Count is < 1 or > MaxEndPointCount)
        {
            throw new ArgumentException($"A server has 1 to {MaxEndPointCount} local end points.", name);
        }
        HashSet<UdpEndPoint> seen = [];
        foreach (UdpEndPoint endPoint in endPoints)
        {
            if (endPoint.IsDefault)
            {
                throw new ArgumentException("A local end point is an address, like UdpEndPoint.Any(9999).", name);
            }
            if (!seen.Add(endPoint) && endPoint.Port != 0)
            {
                throw new ArgumentException($"The local end point {endPoint} is given twice: give it once.", name);
            }
        }
    }

    private static void CheckTime(TimeSpan value, TimeSpan min, string name)
    {
        if (value >= min && value <= MaxTime) return;
        throw new ArgumentOutOfRangeException(
            name, value, $"{name} must be from {min.TotalMilliseconds} to {MaxTime.TotalMilliseconds} ms.");
    }

    // A processor may take any peer's datagrams, so the shard of a peer may change.
    private bool KeepsPeersWith(int threadCount) =>
        Traits.KeepsPeers(threadCount, Shards == ShardSockets.Processors ? UdpSteering.Cpu : Steering);

    private int DefaultThreadCount() =>
        Traits.SharesSocket || Shards != ShardSockets.None
            ? Math.Clamp(Environment.ProcessorCount, 1, MaxThreadCount)
            : 1;
}
