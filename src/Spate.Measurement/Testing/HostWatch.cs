using System.Net;
using Spate.HostTuning;
using Spate.HostTuning.Interfaces;
using Spate.HostTuning.Usage;
using Spate.Measurement.Meters;

namespace Spate.Measurement.Testing;

/// <summary>
/// Watches the host during the data of a test: its counters before and after, and whether the process was stopped. One
/// thread, which calls <see cref="Tick"/> many times a second.
/// </summary>
internal sealed class HostWatch : IDisposable
{
    // The control thread waits for 20 ms at most, so a longer gap is a thread that could not run or was stopped.
    private static readonly TimeSpan MinGap = TimeSpan.FromMilliseconds(200);

    private readonly TimeProvider _time;
    private readonly ThreadMeter _meter = new();
    private readonly HostMeter _host = new();
    private readonly UdpSocket _socket;
    private long _tickTicks;
    private long _ranNanoseconds;
    private TimeSpan _stopped;

    public HostWatch(UdpSocket socket, TimeProvider time)
    {
        _time = time;
        _socket = socket;
        _tickTicks = time.GetTimestamp();
        _ranNanoseconds = RanNanoseconds();
    }

    /// <summary>Notes that the thread runs.</summary>
    public void Tick()
    {
        long ran = RanNanoseconds();
        TimeSpan gap = _time.GetElapsedTime(_tickTicks) - TimeSpan.FromMicroseconds((ran - _ranNanoseconds) / 1000.0);
        if (gap >= MinGap) _stopped += gap;

        (_tickTicks, _ranNanoseconds) = (_time.GetTimestamp(), ran);
    }

    public TestHostReport Report()
    {
        InterfaceFacts? network = FindInterface();
        return new TestHostReport
        {
            Counters = _host.ReadCounters(),
            Interface = network?.Name,
            InterfaceMtuBytes = network?.MtuBytes,
            BacklogLimit = BufferLimits.Read().BacklogPackets,
            StoppedNanoseconds = (long)_stopped.TotalNanoseconds,
            IsIPv6 = _socket.RemoteEndPoint.IsIPv6,
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

    // What goes to one of the host's own addresses takes the loopback.
    private InterfaceFacts? FindInterface()
    {
        IReadOnlyList<InterfaceFacts> all = InterfaceFacts.ReadAll();
        IPAddress local = _socket.LocalEndPoint.Address;
        return LocalAddresses.Contains(_socket.RemoteEndPoint.Address)
            ? all.FirstOrDefault(static one => one.IsLoopback)
            : all.FirstOrDefault(one => one.Addresses.Contains(local));
    }
}
