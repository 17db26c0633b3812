using System.Net.Sockets;
using System.Security.Cryptography;
using Spate.Backends;

namespace Spate.Serving;

/// <summary>
/// The sockets of a server: one per local end point, or one per local end point and shard with a program that chooses
/// the shard. Closed ones leave their counts here.
/// </summary>
internal sealed class ServerSockets : IDisposable
{
    private readonly ServerPlan _plan;
    private readonly UdpSocketOptions _options;
    private readonly List<UdpSocket[]> _shards = [];
    private readonly List<UdpSocket> _all = [];
    private readonly Lock _lock = new();
    private readonly uint _steeringKey = BitConverter.ToUInt32(RandomNumberGenerator.GetBytes(sizeof(uint)));
    private UdpEndPoint[] _endPoints;

    public ServerSockets(ServerPlan plan)
    {
        _plan = plan;
        _endPoints = [.. plan.Options.LocalEndPoints];
        _options = plan.Options.Socket with
        {
            ReusePort = !plan.Traits.SharesSocket && SupportsShards,
            CoalescedReceive = plan.Options.Socket.CoalescedReceive && !plan.Traits.OnePerCall,
            Backend = BackendOf(plan.Options),
            OneReceivingThread = !plan.Traits.SharesSocket || plan.Traits.HasFeeder,
        };
    }

    public static bool SupportsShards => OperatingSystem.IsLinux() || OperatingSystem.IsMacOS();

    public IReadOnlyList<UdpEndPoint> EndPoints => _endPoints;

    public UdpBackend Backend => _shards[0][0].Backend;

    public bool CoalescedReceive => _shards[0][0].CoalescedReceive;

    public bool SegmentedSend => _shards[0][0].SegmentedSend;

    /// <summary>
    /// Opens the sockets of one more shard, or the shared ones. The group's order is the order of binding, by which
    /// the program names shards.
    /// </summary>
    public UdpSocket[] Open()
    {
        if (_shards.Count == 0 && _options.ReusePort) RequireFreePorts();
        List<UdpSocket> opened = [];
        try
        {
            foreach (UdpEndPoint endPoint in _endPoints) opened.Add(UdpSocket.Bind(endPoint, _options));
        }
        catch
        {
            opened.ForEach(socket => socket.Dispose());
            throw;
        }

        // Where the system chose a port, further shards take the same.
        if (_shards.Count == 0) _endPoints = [.. opened.Select(socket => socket.LocalEndPoint)];
        lock (_lock)
        {
            _shards.Add([.. opened]);
            _all.AddRange(opened);
        }

        return [.. opened];
    }

    /// <summary>From now on the first shards get everything, each its part.</summary>
    public void Steer(int shardCount)
    {
        if (!_options.ReusePort || _plan.Steering == UdpSteering.Kernel) return;
        var program = _plan.Steering == UdpSteering.Cpu
            ? SteeringProgram.ByCpu(shardCount, _plan.CpuOf)
            : SteeringProgram.ByFlow(shardCount, _steeringKey | 1);
        for (int i = 0; i < _endPoints.Length; i++) _shards[0][i].AttachSteering(program);
        if (_plan.Steering != UdpSteering.Cpu) return;
        for (int shard = 0; shard < shardCount; shard++)
        {
            if (_plan.CpuOf(shard) < 0) continue;
            foreach (UdpSocket socket in _shards[shard]) socket.PreferCpu(_plan.CpuOf(shard));
        }
    }

    /// <summary>Lets nothing more in, so that what is queued can be handled to its end.</summary>
    public void RefuseArrivals()
    {
        if (!OperatingSystem.IsLinux()) return;
        foreach (UdpSocket socket in _shards.SelectMany(shard => shard))
            socket.AttachFilter(SteeringProgram.RefuseAll());
    }

    /// <summary>Closes the sockets of the last shard, which the program does not name any more.</summary>
    public void CloseLast()
    {
        UdpSocket[] last = _shards[^1];
        foreach (UdpSocket socket in last) socket.Dispose();
        lock (_lock) _shards.RemoveAt(_shards.Count - 1);
    }

    public UdpCounters ReadCounters()
    {
        lock (_lock) return CounterSum.Of(_all);
    }

    public void Dispose()
    {
        foreach (UdpSocket socket in _shards.SelectMany(shard => shard)) socket.Dispose();
    }

    // The design is about a ring; where there is none it still runs, and the capabilities tell why.
    private static UdpBackend BackendOf(UdpServerOptions options) =>
        options is { Design: UdpServerDesign.Ring, Socket.Backend: UdpBackend.Automatic }
            && UdpCapabilities.Probe().Uring.Available
                ? UdpBackend.Uring
                : options.Socket.Backend;

    // With SO_REUSEPORT a second server of the same user would get a share of the traffic instead of a refusal, so the
    // ports are tried without it first.
    private void RequireFreePorts()
    {
        UdpSocketOptions alone = _options with
        {
            ReusePort = false,
            Backend = UdpBackend.Portable,
            Metadata = UdpMetadata.None,
            IcmpErrors = false,
        };
        foreach (UdpEndPoint endPoint in _endPoints)
        {
            if (endPoint.Port != 0) UdpSocket.Bind(endPoint, alone).Dispose();
        }
    }
}
