using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>
/// The datagrams that a flow, or one of its streams, has moved since the start. Losses are what numbers of datagrams
/// say, which anyone may forge, so their sum stays at the largest number.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct FlowCounts(long Datagrams, long Bytes, long? Lost)
{
    public static FlowCounts operator +(FlowCounts left, FlowCounts right) =>
        new(left.Datagrams + right.Datagrams, left.Bytes + right.Bytes, Sum(left.Lost, right.Lost));

    public static FlowCounts operator -(FlowCounts left, FlowCounts right) =>
        new(left.Datagrams - right.Datagrams, left.Bytes - right.Bytes, left.Lost - (right.Lost ?? 0));

    private static long? Sum(long? left, long? right) =>
        left is null && right is null ? null : Saturating.Add(left ?? 0, right ?? 0);
}

/// <summary>One socket and what its thread does with it.</summary>
internal abstract class TrafficFlow(int index, UdpSocket socket)
{
    private bool _hasBegun;

    public int Index { get; } = index;

    public UdpSocket Socket { get; } = socket;

    /// <summary>The remote end is the default where anyone may send.</summary>
    public virtual IEnumerable<(UdpEndPoint Local, UdpEndPoint Remote)> Ends =>
        [(Socket.LocalEndPoint, Socket.Peer)];

    /// <summary>The calls that moved datagrams. The flow's thread counts them; any thread may read.</summary>
    public CallCounters Counters { get; } = new();

    /// <summary>Where the peer is on this host; null for none. Set before the run.</summary>
    public PeerCpu? PeerCpu { get; set; }

    /// <summary>Whether the thread moves datagrams, or waits for them, by now. Any thread may ask.</summary>
    public bool HasBegun => Volatile.Read(ref _hasBegun);

    public long StartTicks { get; protected set; }

    /// <summary>The time stamp at which the last datagram was moved, or at which the run ended.</summary>
    public long EndTicks { get; protected set; }

    /// <summary>Null for a flow that sends. Valid after the run.</summary>
    public virtual ReaderSchedule? Reader => null;

    /// <summary>Moves datagrams until done or stopped. Runs on the flow's thread.</summary>
    public abstract void Run(CancellationToken stop);

    /// <summary>Does what is left when the measured part is over. Runs on the flow's thread.</summary>
    public virtual void Finish()
    {
    }

    /// <summary>Called by <see cref="Run"/> once all is set up.</summary>
    protected void Begin() => Volatile.Write(ref _hasBegun, value: true);

    /// <summary>The parts are reported by themselves. Any thread may call this at any time.</summary>
    public abstract FlowCounts Sample(Dictionary<string, FlowCounts> parts);
}

/// <summary>The thread of a flow: measured, pinned if asked. Its exception is kept for who joins it.</summary>
internal sealed class FlowThread
{
    private readonly string _role;
    private readonly TrafficFlow _flow;
    private readonly int? _cpuIndex;
    private readonly Thread _thread;
    private ThreadGauge? _gauge;

    /// <summary><c>runEnded</c> is called on the thread when the measured part is over or has failed.</summary>
    public FlowThread(
        string role, TrafficFlow flow, int? cpuIndex, Action<FlowThread> runEnded, CancellationToken stop)
    {
        _role = role;
        _flow = flow;
        _cpuIndex = cpuIndex;
        _thread = new Thread(() => Main(runEnded, stop)) { IsBackground = true, Name = $"spate {role} {flow.Index}" };
    }

    public Exception? Failure { get; private set; }

    public int? Cpu => _cpuIndex ?? _flow.PeerCpu?.Taken;

    /// <summary>Complete after <see cref="Join"/>. The CPUs tell the NUMA node; none if unbound.</summary>
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
