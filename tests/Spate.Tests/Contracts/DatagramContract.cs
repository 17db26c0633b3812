using Spate.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>
/// What every backend has to do, whatever it is made of. Each class of tests that derives from this names a backend; it
/// is skipped where the probe says that this machine cannot, with its reason. Every test closes its sockets when
/// it ends, and when it has lasted too long, so that a call that hangs fails instead of staying.
/// </summary>
public abstract partial class DatagramContract : IDisposable
{
    private const int MinPoolThreads = 64;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    private readonly UdpBackend _backend;
    private readonly bool _segments;
    private readonly bool _coalesces;
    private readonly List<IDisposable> _owned = [];
    private readonly CancellationTokenSource _limit = new(Limit);

    // Many tests block a thread of the pool. It adds one only after seconds where other programs want the CPUs. Not for
    // the whole program: threads that the pool makes meanwhile are allocations, which other tests count.
    static DatagramContract() => ThreadPool.SetMinThreads(MinPoolThreads, MinPoolThreads);

    protected DatagramContract(UdpBackend backend, bool offloads)
    {
        UdpCapabilities capabilities = UdpCapabilities.Current;
        if (backend == UdpBackend.Mmsg) Require(capabilities.Mmsg);
        if (backend == UdpBackend.Uring) Require(capabilities.Uring);
        if (backend == UdpBackend.Winsock) Require(capabilities.Winsock);
        if (backend == UdpBackend.Rio) Require(capabilities.Rio);
        if (offloads) Require(capabilities.SegmentedSend);
        bool isOldKernel = OperatingSystem.IsLinux()
            && BackendSelector.IsTooOldToCoalesce(Environment.OSVersion.Version);
        if (offloads && !isOldKernel) Require(capabilities.CoalescedReceive);
        _backend = backend;
        _segments = offloads;
        _coalesces = offloads && !isOldKernel;
        Stop.UnsafeRegister(static self => ((DatagramContract)self!).CloseAll(), this);
    }

    /// <summary>Ends whatever waits when a test lasts too long.</summary>
    private CancellationToken Stop => _limit.Token;

    /// <summary>Whether the backend tells more of a datagram than its peer, and lets more be said.</summary>
    private bool HasMetadata => _backend != UdpBackend.Portable;

    public void Dispose()
    {
        CloseAll();
        _limit.Dispose();
        GC.SuppressFinalize(this);

        // Otherwise another test would fail for it, and seldom.
        Assert.False(
            IsOnEventThread(),
            "The test ended on an event thread, and so the next ones run there: AwaitInlineAsync leaves it.");
    }

    /// <summary>
    /// Whether the backend is one of Linux, the only system with ICMP errors by peer and with times of datagrams.
    /// </summary>
    private bool IsOfLinux => _backend is UdpBackend.Mmsg or UdpBackend.Uring;

    // Wine takes the source address and the traffic class of a datagram, and ignores them.
    private void SkipWhereControlsAreIgnored()
    {
        if (_backend is UdpBackend.Winsock or UdpBackend.Rio) Wine.SkipFor("send-control");
    }

    private static void Require(UdpCapability capability) =>
        Assert.SkipUnless(capability.IsAvailable, $"{capability.Name}: {capability.Reason}");

    private static void RequireIPv6() => Require(UdpCapabilities.Current.IPv6);

    private static void RequireReusePort() =>
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no SO_REUSEPORT");

    private void SkipWhereClosedPortsAreNotReported() =>
        Assert.SkipWhen(_backend == UdpBackend.Rio, "Registered I/O reports no closed port");

    /// <summary>
    /// So many datagrams that a receiver has place for all before it receives: with Registered I/O the places are few.
    /// </summary>
    private int BurstOf(int count) => _backend == UdpBackend.Rio ? Math.Min(count, 200) : count;

    // Without ReportPortUnreachable, as SocketSetup does it.
    private static void SkipWhereIcmpErrorsAreSilenced() =>
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Spate has Windows report no ICMP error (SIO_UDP_CONNRESET)");

    private UdpSocketOptions Options(
        UdpMetadata metadata = UdpMetadata.None,
        bool? coalesced = null,
        bool? segmented = null,
        bool dualStack = true,
        bool reusePort = false,
        bool broadcast = false,
        bool icmpErrors = false,
        bool inline = false,
        string? device = null,
        int? timeToLive = null,
        int? trafficClass = null,
        int? receiveBufferBytes = 4 << 20,
        UdpFragmentation fragmentation = UdpFragmentation.Allowed) => new()
        {
            Backend = _backend,
            CoalescedReceive = coalesced ?? _coalesces,
            SegmentedSend = segmented ?? _segments,
            Metadata = metadata,
            DualMode = dualStack,
            ReusePort = reusePort,
            EnableBroadcast = broadcast,
            ReportIcmpErrors = icmpErrors,
            AllowSynchronousContinuations = inline,
            BindToDevice = device,
            TimeToLive = timeToLive,
            TrafficClass = trafficClass,
            ReceiveBufferBytes = receiveBufferBytes,
            Fragmentation = fragmentation,
        };

    private UdpSocket BindLoopback(UdpSocketOptions? options = null) => Bind(UdpEndPoint.Loopback(0), options);

    private UdpSocket Bind(UdpEndPoint local, UdpSocketOptions? options = null) =>
        Own(UdpSocket.Bind(local, options ?? Options()));

    private UdpSocket Connect(UdpEndPoint peer, UdpSocketOptions? options = null) =>
        Own(UdpSocket.Connect(peer, options: options ?? Options()));

    private T Own<T>(T owned)
        where T : IDisposable
    {
        lock (_owned) _owned.Add(owned);
        return owned;
    }

    private void CloseAll()
    {
        lock (_owned)
        {
            foreach (IDisposable owned in _owned) owned.Dispose();
        }
    }

    /// <summary>Looks again and again until something holds; the kernel may be late, but not for ever.</summary>
    private void Eventually(Func<bool> holds, string what)
    {
        while (!holds())
        {
            Assert.False(Stop.IsCancellationRequested, $"Within {Limit.TotalSeconds} s it did not happen that {what}.");
            Thread.Yield();
        }
    }
}
