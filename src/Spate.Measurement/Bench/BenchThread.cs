using Spate.HostTuning.Usage;

namespace Spate.Measurement.Bench;

/// <summary>A dedicated thread on its own CPU that knows the CPU time it used and what it failed with.</summary>
internal sealed class BenchThread
{
    private readonly Thread _thread;
    private readonly Action _work;
    private readonly int? _cpu;
    private long _cpuNanoseconds = -1;
    private long _endNanoseconds = -1;
    private ThreadMeter? _meter;

    public BenchThread(string name, int? cpu, Action work)
    {
        _work = work;
        _cpu = cpu;
        _thread = new Thread(Run) { IsBackground = true, Name = name };
    }

    /// <summary>What the work threw; read it after <see cref="Join"/>.</summary>
    public Exception? Failure { get; private set; }

    /// <summary>CPU time of the work alone, or null where the system does not tell; read it after Join.</summary>
    public long? CpuNanoseconds => _cpuNanoseconds >= 0 ? _cpuNanoseconds : null;

    /// <summary>
    /// CPU time of the thread so far, all of it once the work has ended; null where the system does not tell.
    /// </summary>
    public long? CpuNanosecondsSoFar
    {
        get
        {
            if (Volatile.Read(ref _meter)?.Usage.CpuNanoseconds is long now) return now;
            long end = Volatile.Read(ref _endNanoseconds);
            return end >= 0 ? end : null;
        }
    }

    /// <summary>Runs a whole bench on a thread of its own and waits for it.</summary>
    /// <param name="name">The bench's name in messages.</param>
    /// <param name="cpu">The thread's CPU; null for any.</param>
    /// <param name="timeout">After this the bench counts as hanging.</param>
    /// <param name="bench">The bench.</param>
    /// <exception cref="BenchException">It hangs, or failed with anything but these two.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public static T Execute<T>(string name, int? cpu, TimeSpan timeout, Func<T> bench)
        where T : class
    {
        T? result = null;
        var thread = new BenchThread($"bench {name}", cpu, () => result = bench());
        thread.Start();
        if (!thread.Join(timeout))
        {
            throw new BenchException($"The {name} bench did not end in time; a call to the system hangs.");
        }
        if (thread.Failure is Exception failure)
        {
            throw failure is BenchException or OperationCanceledException
                ? failure
                : new BenchException($"The {name} bench failed: {BenchText.OneLine(failure.Message)}", failure);
        }
        return result!;
    }

    public void Start() => _thread.Start();

    /// <summary>True when the thread has ended within the time.</summary>
    public bool Join(TimeSpan timeout)
    {
        // Thread.Join takes no more milliseconds than an int holds: 24 days, beyond which waiting has no end.
        if (timeout.TotalMilliseconds <= int.MaxValue) return _thread.Join(timeout);
        _thread.Join();
        return true;
    }

    private void Run()
    {
        try
        {
            if (_cpu is int cpu)
            {
                // Checked when the placement was chosen; a CPU that went offline since only costs precision.
                _ = ThreadAffinity.TrySet([cpu], out _);
            }
            using var meter = new ThreadMeter();
            Volatile.Write(ref _meter, meter);
            long? before = ReadCpuNanoseconds(meter);
            try
            {
                _work();
            }
            finally
            {
                long? end = ReadCpuNanoseconds(meter);
                _cpuNanoseconds = (end - before) ?? -1;
                Volatile.Write(ref _endNanoseconds, end ?? -1);
            }
        }
        catch (Exception e)
        {
            // A thread of ours must not end the process; the thread that joins it reports the failure.
            Failure = e;
        }
    }
    // The kernel adds the running slice up at ticks and at scheduling points only; yielding is such a point.
    private static long? ReadCpuNanoseconds(ThreadMeter meter)
    {
        _ = Thread.Yield();
        return meter.Usage.CpuNanoseconds;
    }
}
