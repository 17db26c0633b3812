using Spate.Serving.Threading;
using Spate.Serving.Shards;

namespace Spate.Serving.Lifetime;

/// <summary>The options of a server with every default filled in, and the number of its threads.</summary>
internal sealed class ResolvedServerOptions
{
    /// <summary>The index that stands for the thread that receives for others.</summary>
    public const int ReaderIndex = -1;

    public const int MaxThreadCount = 256;

    /// <summary>
    /// The largest number of datagrams that the kernel joins in one buffer (UDP_GRO_CNT_MAX). Before Linux 6.10 it is
    /// also the largest number in a GSO message.
    /// </summary>
    private const int MaxDatagramsPerSlot = 64;

    private const int ReplyBufferBytes = 512 * 1024;

    private readonly int[] _cpuIndexes;
    private readonly Lock _promiseLock = new();
    private int _threadCount;
    private int _maxThreadCount;
    private bool _hasSessions;

    public ResolvedServerOptions(UdpServerOptions options, Func<UdpShard, UdpHandler> makeHandler)
    {
        ServerOptionChecks.Check(options);
        Traits = DesignTraits.Of(options.Design);
        Options = options;
        MakeHandler = makeHandler;
        Account = new ServerMetrics(options.Name);
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

    public ServerMetrics Account { get; }

    public UdpSteering Steering { get; }

    public UdpServerWait Wait { get; }

    public ReceiveBatchOptions Receive { get; }

    public int ThreadCount
    {
        get => Volatile.Read(ref _threadCount);
        set => Volatile.Write(ref _threadCount, value);
    }

    /// <summary>
    /// Whether each peer stays with one thread. Threads that are being added count, because they take datagrams before
    /// the last of them has started.
    /// </summary>
    public bool KeepsPeers => Traits.KeepsPeers(Volatile.Read(ref _maxThreadCount), Steering);

    /// <summary>Two batches for each worker, and four more for the reader to fill meanwhile.</summary>
    public int BatchCount => Options.BatchCount ?? 4 + (2 * ThreadCount);

    /// <summary>
    /// Called before the number of threads changes. Refuses a change that would lose datagrams, or would move the peers
    /// of a handler that keeps sessions. Until <see cref="EndChange"/> the greater number decides whether handlers may
    /// keep sessions.
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
                "Several shards need SO_REUSEPORT, which this system does not have: use one thread or another design.");
        }

        lock (_promiseLock)
        {
            if (_hasSessions && !Traits.KeepsPeers(threadCount, Steering))
            {
                throw new NotSupportedException(
                    "The server's one thread keeps sessions, and with more threads a peer would not stay with one: use "
                    + "the design Sharded with Steering.FlowHash.");
            }

            Volatile.Write(ref _maxThreadCount, Math.Max(threadCount, ThreadCount));
        }
    }

    /// <summary>Called when the change is done or has failed.</summary>
    public void EndChange() => Volatile.Write(ref _maxThreadCount, ThreadCount);

    /// <summary>
    /// Called before a handler keeps sessions; from then on the server must keep peers. Returns false if the server
    /// does not keep peers now. The method shares a lock with <see cref="BeginChange"/>, so that each of the two sees
    /// the other's decision.
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

    /// <summary>
    /// The options of reply batches. Their default capacity is the number of datagrams that one receive may bring.
    /// </summary>
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
