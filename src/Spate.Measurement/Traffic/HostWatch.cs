using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>Watches the host's counters and stops during a test's data. One thread; it ticks often.</summary>
internal sealed class HostWatch : IDisposable
{
    // The control thread waits for 20 ms at most, so a longer gap is a thread that could not run or was stopped.
    private static readonly TimeSpan MinGap = TimeSpan.FromMilliseconds(200);

    private readonly TimeProvider _time;
    private readonly ThreadMeter _meter = new();
    private readonly HostMeter _host = new();
    private readonly UdpSocket[] _sockets;
    private long _tickTicks;
    private long _ranNanoseconds;
    private TimeSpan _stopped;

    /// <summary>Watches the connected sockets of all flows, which are used until the report is made.</summary>
    public HostWatch(UdpSocket[] sockets, TimeProvider time)
    {
        _time = time;
        _sockets = sockets;
        _tickTicks = time.GetTimestamp();
        _ranNanoseconds = RanNanoseconds();
    }

    public void Tick()
    {
        long ran = RanNanoseconds();
        TimeSpan gap = _time.GetElapsedTime(_tickTicks) - TimeSpan.FromMicroseconds((ran - _ranNanoseconds) / 1000.0);
        if (gap >= MinGap) _stopped += gap;

        (_tickTicks, _ranNanoseconds) = (_time.GetTimestamp(), ran);
    }

    public TestHostReport Report()
    {
        InterfaceFacts[] networks = FindInterfaces();
        bool[] families = [.. _sockets.Select(static socket => socket.Peer.IsIPv6).Distinct()];
        return new TestHostReport
        {
            Counters = _host.ReadCounters(),
            Interfaces = [.. networks.Select(static one => one.Name)],
            InterfaceMtuBytes = networks.Min(static one => one.MtuBytes),
            BacklogLimit = BufferLimits.Read().BacklogPackets,
            StoppedNanoseconds = (long)_stopped.TotalNanoseconds,
            IsIPv6 = families is [var family] ? family : null,
        };
    }

    public void Dispose()
    {
        _host.Dispose();
        _meter.Dispose();
    }

    // On a CPU, and ready to run on one: the rest of the time the thread waited, or was stopped.
    private long RanNanoseconds()
    {
        ThreadUsage usage = _meter.Usage;
        return (usage.CpuNanoseconds ?? 0) + (usage.RunQueueNanoseconds ?? 0);
    }

    // Empty where those of one flow are unknown.
    private InterfaceFacts[] FindInterfaces()
    {
        IReadOnlyList<InterfaceFacts> all = InterfaceFacts.ReadAll();
        List<InterfaceFacts[]> perFlow = [.. _sockets
            .DistinctBy(static socket => (socket.LocalEndPoint.Address, socket.Peer.Address))
            .Select(socket => FlowInterfaces.Find(socket.LocalEndPoint.Address.ToIPAddress(), socket.Peer, all))];
        return perFlow.Exists(static found => found.Length == 0)
            ? []
            : [.. perFlow.SelectMany(static found => found).Distinct()];
    }
}
