using Spate.HostTuning.Usage;
using Spate.Measurement.Loss;

namespace Spate.Measurement.Meters;

/// <summary>
/// Measures what a receiving thread gets of its CPUs from its first datagram to its last one, so that neither the
/// set-up nor the drain period looks like a thread that cannot run. Made and used on that thread.
/// </summary>
/// <remarks>
/// The kernel is asked only while no datagram waits: before the first datagram at most once a second, and in the first
/// pause behind others.
/// </remarks>
internal sealed class ReaderMeter : IDisposable
{
    private const long RefreshMilliseconds = 1000;

    private readonly ThreadMeter _meter = new();
    private readonly CpuTimesReader _cpuTimes = new();

    // A pinned thread has one CPU here.
    private readonly int[] _cpus = ThreadAffinity.Get();
    private (ThreadUsage Usage, long? Steal) _first;
    private (ThreadUsage Usage, long? Steal) _last;
    private long _readMilliseconds;
    private long _datagrams;

    public ReaderMeter() => ReadFirst();

    /// <summary>What the thread got until the latest pause; nulls before its first datagram.</summary>
    public ReaderSchedule Schedule
    {
        get
        {
            ThreadUsage usage = _last.Usage - _first.Usage;
            return new ReaderSchedule
            {
                RunQueueNanoseconds = usage.RunQueueNanoseconds,
                StealNanoseconds = _last.Steal - _first.Steal,
                CpuNanoseconds = usage.CpuNanoseconds,
            };
        }
    }

    /// <summary>Notes that no datagram waits.</summary>
    /// <param name="datagrams">How many datagrams the thread has received so far.</param>
    public void Pause(long datagrams)
    {
        if (datagrams > _datagrams)
        {
            (_datagrams, _last) = (datagrams, Read());
        }
        else if (datagrams == 0 && Environment.TickCount64 - _readMilliseconds >= RefreshMilliseconds)
        {
            ReadFirst();
        }
    }

    public void Dispose()
    {
        _meter.Dispose();
        _cpuTimes.Dispose();
    }

    private void ReadFirst() => (_first, _readMilliseconds) = (Read(), Environment.TickCount64);

    private (ThreadUsage Usage, long? Steal) Read() => (_meter.Usage, _cpuTimes.ReadMeanSteal(_cpus));
}
