using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>
/// The thread of a flow. It is measured, pinned if asked, and its exception is kept for the thread that joins it.
/// </summary>
internal sealed class FlowThread
{
    private readonly string _role;
    private readonly TrafficFlow _flow;
    private readonly int? _cpuIndex;
    private readonly Thread _thread;
    private ThreadGauge? _gauge;

    /// <param name="role">The thread's role in reports: <c>send</c> or <c>receive</c>.</param>
    /// <param name="flow">The flow that runs on the thread.</param>
    /// <param name="cpuIndex">The CPU to pin the thread to; null for none.</param>
    /// <param name="runEnded">Called on the thread when the measured part is over or has failed.</param>
    /// <param name="stop">Ends the measured part.</param>
    public FlowThread(
        string role, TrafficFlow flow, int? cpuIndex, Action<FlowThread> runEnded, CancellationToken stop)
    {
        _role = role;
        _flow = flow;
        _cpuIndex = cpuIndex;
        _thread = new Thread(() => Main(runEnded, stop)) { IsBackground = true, Name = $"spate {role} {flow.Index}" };
    }

    public Exception? Failure { get; private set; }

    /// <summary>The CPU that the thread is pinned to; null for none.</summary>
    public int? Cpu => _cpuIndex ?? _flow.PeerCpu?.Taken;

    /// <summary>Where the thread ran and what it used. Complete after <see cref="Join"/>.</summary>
    /// <param name="cpus">The machine's CPUs, which tell the NUMA node; none where the thread is free to move.</param>
    public ThreadReport ReportOn(IReadOnlyList<CpuInfo> cpus)
    {
        var report = new ThreadReport
        {
            Role = _role,
            Cpu = Cpu,
            Node = cpus.FirstOrDefault(cpu => cpu.Number == Cpu)?.Node,
            Reader = _flow.Reader,
        };
        report.SetUse(_gauge!.Use);
        return report;
    }

    /// <summary>What the thread has done and used so far. Any thread may call; one at a time.</summary>
    public ThreadIntervalReport Sample()
    {
        var sample = new ThreadIntervalReport
        {
            Role = _role,
            Index = _flow.Index,
            Datagrams = _flow.Counters.Datagrams,
            Calls = _flow.Counters.Calls,
        };
        if (Volatile.Read(ref _gauge) is { } gauge)
        {
            ThreadUse use = gauge.Use;
            sample.Cpu = use.Times.Cpu;
            sample.SetUse(use);
        }

        return sample;
    }

    /// <summary>The same at the end of an interval, with the fewest and the most datagrams of its calls.</summary>
    public ThreadIntervalReport SampleInterval()
    {
        ThreadIntervalReport sample = Sample();
        if (_flow.Counters.TakeInterval() is var (least, most))
        {
            (sample.LeastPerCall, sample.MostPerCall) = (least, most);
        }

        return sample;
    }

    public void Start() => _thread.Start();

    public void Join() => _thread.Join();

    private void Main(Action<FlowThread> runEnded, CancellationToken stop)
    {
        try
        {
            Run(stop);
        }
        catch (Exception fault)
        {
            // A fault here would end the process; the thread that joins this one decides what to report.
            Failure = fault;
        }

        runEnded(this);
        if (Failure is null) FinishFlow();
    }

    private void Run(CancellationToken stop)
    {
        if (_cpuIndex is int cpuIndex && !ThreadAffinity.TrySetCurrentThreadCpus([cpuIndex], out string? error))
        {
            throw new TrafficException($"The thread of flow {_flow.Index} could not be pinned: {error}");
        }

        if (_flow.PeerCpu is { IsPeerKnown: true } peerCpu) _ = peerCpu.TryTake();
        using var gauge = new ThreadGauge();
        Volatile.Write(ref _gauge, gauge);
        _flow.Run(stop);
        gauge.Finish();
    }

    private void FinishFlow()
    {
        try
        {
            _flow.Finish();
        }
        catch (Exception fault)
        {
            Failure = fault;
        }
    }
}
