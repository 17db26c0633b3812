using System.Net;
using Spate.HostTuning;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Interfaces;
using Spate.HostTuning.Usage;

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
    private readonly NetworkCounterReader _reader = new();
    private readonly NetworkCounters _before;
    private readonly long? _stealBefore;
    private readonly UdpSocket _socket;
    private long _tickTicks;
    private long _ranNanoseconds;
    private TimeSpan _stopped;

    public HostWatch(UdpSocket socket, TimeProvider time)
    {
        _time = time;
        _socket = socket;
        _before = _reader.Read();
        _stealBefore = SystemCounts.ReadStealNanoseconds();
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
        NetworkCounters counters = _reader.Read() - _before;
        InterfaceFacts? network = FindInterface();
        return new TestHostReport
        {
            Counters = counters.NamespaceId.Length > 0 ? counters : null,
            Interface = network?.Name,
            InterfaceMtuBytes = network?.MtuBytes,
            BacklogLimit = BufferLimits.Read().BacklogPackets,
            StealNanoseconds = SystemCounts.ReadStealNanoseconds() - _stealBefore,
            StoppedNanoseconds = (long)_stopped.TotalNanoseconds,
            IsIPv6 = _socket.RemoteEndPoint.IsIPv6,
        };
    }

    public void Dispose()
    {
        _reader.Dispose();
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
