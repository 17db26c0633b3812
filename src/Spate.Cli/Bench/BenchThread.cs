using Spate.Cli.Shell;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench;

/// <summary>A thread of a bench, on a CPU of its own, with the CPU time that it used and its failure.</summary>
internal sealed class BenchThread
{
    private readonly Thread _thread;
    private readonly Action _work;
    private readonly int? _cpu;
    private long _endNanoseconds = -1;
    private ThreadMeter? _meter;

    public BenchThread(string name, int? cpu, Action work)
    {
        _work = work;
        _cpu = cpu;
        _thread = new Thread(Run) { IsBackground = true, Name = name };
    }

    /// <summary>The exception of the work; null if it had none. Known after <see cref="Join"/>.</summary>
    public Exception? Failure { get; private set; }

    /// <summary>CPU time of the work; null where the system does not tell. Known after <see cref="Join"/>.</summary>
    public long? CpuNanoseconds => Use.Usage.CpuNanoseconds;

    /// <summary>What the thread used; nulls where the system does not tell. Known after <see cref="Join"/>.</summary>
    public ThreadUse Use { get; private set; }

    /// <summary>CPU time so far, or in all once the work has ended; null where the system does not tell.</summary>
    public long? CpuNanosecondsSoFar
    {
        get
        {
            if (Volatile.Read(ref _meter)?.Usage.CpuNanoseconds is long now) return now;
            long end = Volatile.Read(ref _endNanoseconds);
            return end >= 0 ? end : null;
        }
    }

    /// <summary>
    /// Runs a whole bench on a thread of its own. If it hangs, or fails with another exception than an
    /// <see cref="OperationCanceledException"/>, throws a <see cref="BenchException"/>.
    /// </summary>
    public static T Execute<T>(string name, int? cpu, TimeSpan timeout, Func<T> bench)
        where T : class
    {
        T? result = null;
        var thread = new BenchThread($"bench {name}", cpu, () => result = bench());
        thread.Start();
        if (!thread.Join(timeout))
        {
            throw new BenchException($"The {name} bench did not end in time: a system call hangs.");
        }
        if (thread.Failure is Exception failure)
        {
            throw failure is BenchException or OperationCanceledException
                ? failure
                : new BenchException($"The {name} bench failed: {PrintableText.OneLine(failure.Message)}", failure);
        }
        return result!;
    }

    /// <summary>Throws if the work failed or does not end in time.</summary>
    public void JoinOrThrow(string name, TimeSpan timeout)
    {
        if (Join(timeout) && Failure is null) return;

        throw new BenchException(
            $"The {name} failed: {PrintableText.OneLine(Failure?.Message ?? "a system call hangs")}");
    }

    public void Start() => _thread.Start();

    /// <summary>Waits for the end of the thread. Returns false if the time was over first.</summary>
    public bool Join(TimeSpan timeout)
    {
        // Thread.Join takes at most int.MaxValue milliseconds, 24 days. A longer time is as good as no limit.
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
                // The placement checked the CPU. If it went offline since, the thread floats and the figures vary more.
                _ = ThreadAffinity.TrySetCurrentThreadCpus([cpu], out _);
            }
            using var meter = new ThreadMeter();
            Volatile.Write(ref _meter, meter);
            ThreadUse before = Read(meter);
            try
            {
                _work();
            }
            finally
            {
                ThreadUse end = Read(meter);
                Use = end - before;
                Volatile.Write(ref _endNanoseconds, end.Usage.CpuNanoseconds ?? -1);
            }
        }
        catch (Exception e)
        {
            // An unhandled exception would end the process. The joining thread reports the failure instead.
            Failure = e;
        }
    }

    // The kernel adds to a thread's CPU time only at ticks and at scheduling points, and a yield is one.
    private static ThreadUse Read(ThreadMeter meter)
    {
        _ = Thread.Yield();
        return new ThreadUse(meter.Usage, meter.Times);
    }
}
