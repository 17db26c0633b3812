using Spate.Serving.Designs;
using Spate.Serving.Shards;

namespace Spate.Serving.Lifetime;

/// <summary>What was agreed when a server was started, with every default filled in.</summary>
internal sealed class ServerPlan
{
    /// <summary>The index of the thread that receives for others.</summary>
    public const int ReaderIndex = -1;

    public const int MaxThreadCount = 256;

    /// <summary>
    /// Datagrams of one coalesced buffer: what the kernel joins at most (UDP_GRO_CNT_MAX), and sends as one train
    /// before Linux 6.10.
    /// </summary>
    private const int MaxDatagramsPerSlot = 64;

    private const int ReplyBufferBytes = 512 * 1024;

    private readonly int[] _cpuIndexes;
    private readonly Lock _promiseLock = new();
    private int _threadCount;
    private int _maxThreadCount;
    private bool _hasSessions;

    public ServerPlan(UdpServerOptions options, Func<UdpShard, UdpHandler> makeHandler)
    {
        ServerOptionChecks.Check(options);
        Traits = DesignTraits.Of(options.Design);
        Options = options;
        MakeHandler = makeHandler;
        _cpuIndexes = [.. options.CpuIndexes];
        Faults = new FaultLog(options.Socket.TimeProvider, options.OnFault);
        _threadCount = options.ThreadCount ?? DefaultThreadCount();
        Steering = options.Steering != UdpSteering.Automatic ? options.Steering
            : OperatingSystem.IsLinux() ? UdpSteering.FlowHash : UdpSteering.Kernel;
        Wait = options.Wait != UdpServerWait.Automatic ? options.Wait : Traits.Wait;
        Receive = Traits.OnePerCall ? options.Receive with { SlotCount = 1 } : options.Receive;
        BeginChange(_threadCount);
    }

    public UdpServerOptions Options { get; }

    public Func<UdpShard, UdpHandler> MakeHandler { get; }

    public DesignTraits Traits { get; }

    public FaultLog Faults { get; }

    public UdpSteering Steering { get; }

    public UdpServerWait Wait { get; }

    public ReceiveBatchOptions Receive { get; }

    /// <summary>Bytes of a slot, as all batches of the server have it where receiving does not coalesce.</summary>
    public int SlotBytes => Receive.SlotBytes ?? ReceiveBatchOptions.DefaultSlotBytes;

    public int ThreadCount
    {
        get => Volatile.Read(ref _threadCount);
        set => Volatile.Write(ref _threadCount, value);
    }

    /// <summary>Threads that are being added count: they take datagrams before the last of them has started.</summary>
    public bool KeepsPeers => Traits.KeepsPeers(Volatile.Read(ref _maxThreadCount), Steering);

    /// <summary>
    /// Four, so that the reader has some while the others are on their way, and two per worker.
    /// </summary>
    public int BatchCount => Options.BatchCount ?? 4 + (2 * ThreadCount);

    /// <summary>
    /// Before the number of threads changes: refuses what would lose datagrams or break a promise. Until
    /// <see cref="EndChange"/> nothing is promised that the greater number could not keep.
    /// </summary>
    public void BeginChange(int threadCount)
    {
        if (threadCount < ThreadCount && !Traits.SharesSocket && Steering == UdpSteering.Kernel)
        {
            throw new NotSupportedException(
                "Under Steering.Kernel a shard cannot be taken away without losing what its socket has queued: "
                + "start the server with Steering.FlowHash or Steering.Cpu.");
        }

        if (threadCount > 1 && !Traits.SharesSocket && !ServerSockets.SupportsShards)
        {
            throw new NotSupportedException(
                "Several shards need SO_REUSEPORT, which this system has not: use one thread or another design.");
        }

        lock (_promiseLock)
        {
            if (_hasSessions && !Traits.KeepsPeers(threadCount, Steering))
            {
                throw new NotSupportedException(
                    "Its one thread keeps sessions, and with more a peer would not stay with one: use the design "
                    + "Sharded with Steering.FlowHash.");
            }

            Volatile.Write(ref _maxThreadCount, Math.Max(threadCount, ThreadCount));
        }
    }

    /// <summary>The change is done, or has failed.</summary>
    public void EndChange() => Volatile.Write(ref _maxThreadCount, ThreadCount);

    /// <summary>
    /// A handler is to keep sessions, which holds the server to keeping peers; false if it does not. By one lock with
    /// <see cref="BeginChange"/>, so that one of the two sees the other.
    /// </summary>
    public bool TryPromiseSessions()
    {
        lock (_promiseLock) return _hasSessions = _hasSessions || KeepsPeers;
    }

    public int CpuOf(int threadIndex)
    {
        if (_cpuIndexes.Length == 0) return -1;
        return _cpuIndexes[(threadIndex + (Traits.HasReader ? 1 : 0)) % _cpuIndexes.Length];
    }

    /// <summary>As many replies as a receive may bring, unless the options say otherwise.</summary>
    public SendBatchOptions RepliesFor(UdpSocket socket)
    {
        int maxAtOnce = socket.CoalescedReceive
            ? (Receive.SlotCount ?? ReceiveBatchOptions.DefaultCoalescedSlotCount) * MaxDatagramsPerSlot
            : Receive.SlotCount ?? ReceiveBatchOptions.DefaultSlotCount;
        return Options.Replies with
        {
            Capacity = Options.Replies.Capacity ?? Math.Clamp(maxAtOnce, 64, 65_536),
            BufferBytes = Options.Replies.BufferBytes ?? ReplyBufferBytes,
        };
    }

    private int DefaultThreadCount() =>
        Traits.SharesSocket || ServerSockets.SupportsShards
            ? Math.Clamp(Environment.ProcessorCount, 1, MaxThreadCount)
            : 1;
}
