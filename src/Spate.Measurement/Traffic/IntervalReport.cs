using System.Runtime.InteropServices;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>One interval of a run.</summary>
internal sealed class IntervalReport
{
    /// <summary>The seconds from which on the rate of an interval means something.</summary>
    internal const double MinRateSeconds = 0.05;

    public static readonly TimeSpan DefaultInterval = TimeSpan.FromSeconds(1);

    /// <summary>Seconds from the start of the run to the start of the interval.</summary>
    public double StartSeconds { get; set; }

    public double Seconds { get; set; }

    public long Datagrams { get; set; }

    public long Bytes { get; set; }

    /// <summary>Null in under 50 ms: that has the start and end of threads. Written, not read.</summary>
    public double? DatagramsPerSecond => RateOf(Datagrams);

    /// <summary>Of payload; null where <see cref="DatagramsPerSecond"/> is. Written, not read.</summary>
    public double? BitsPerSecond => RateOf(8.0 * Bytes);

    /// <summary>How much it grew; negative if missing ones arrived. Null at a sender, but for one of a test.</summary>
    public long? Lost { get; set; }

    public double CpuPercent { get; set; }

    /// <summary>By the runtime, at the cost of the traffic; null where it was not counted.</summary>
    public long? CompiledMethods { get; set; }

    public long? AllocatedBytes { get; set; }

    public int? Gen0Collections { get; set; }

    public long? ResidentBytes { get; set; }

    public CpuReport[] Cores { get; set; } = [];

    public ThreadIntervalReport[] Threads { get; set; } = [];

    /// <summary>A part of the interval's traffic per second; null where the interval is too short.</summary>
    public double? RateOf(double amount) =>
        Datagrams > 0 && Seconds < MinRateSeconds ? null : Statistics.Ratio(amount, Seconds);

    internal void Extend(IntervalReport next)
    {
        double cpu = (CpuPercent * Seconds) + (next.CpuPercent * next.Seconds);
        double weight = Statistics.Ratio(Seconds, Seconds + next.Seconds);
        CpuPercent = Statistics.Ratio(cpu, Seconds + next.Seconds);
        Cores = Merge(Cores, next.Cores, weight);
        Seconds += next.Seconds;
        Datagrams += next.Datagrams;
        Bytes += next.Bytes;
        Lost += next.Lost;
        CompiledMethods += next.CompiledMethods;
        AllocatedBytes += next.AllocatedBytes;
        Gen0Collections += next.Gen0Collections;
        ResidentBytes = next.ResidentBytes;
        Dictionary<(string, int), ThreadIntervalReport> threads = next.Threads.ToDictionary(static one => one.Key);
        Threads = [.. Threads.Select(thread => threads.TryGetValue(thread.Key, out ThreadIntervalReport? rest)
            ? thread.Extend(rest)
            : thread)];
    }

    private static CpuReport[] Merge(CpuReport[] cores, CpuReport[] next, double weight)
    {
        var rest = next.ToDictionary(static core => core.Cpu);
        var merged = new List<CpuReport>(cores.Length);
        foreach (CpuReport core in cores)
        {
            merged.Add(core.Extend(rest.Remove(core.Cpu, out CpuReport? same) ? same : Idle(core.Cpu), weight));
        }

        merged.AddRange(rest.Values.Select(core => Idle(core.Cpu).Extend(core, weight)));
        return [.. merged.OrderBy(static core => core.Cpu)];
    }

    // A CPU that an interval does not show had hardly any work in it.
    private static CpuReport Idle(int cpu) =>
        new() { Cpu = cpu, IdlePercent = 100, OwnPercent = 0, ReceiveInterrupts = 0 };
}

/// <summary>One interval of a run, reported while the run goes on.</summary>
/// <param name="Flows">At most <see cref="MaxFlows"/>, those that moved most; none of a single flow.</param>
internal sealed record TrafficInterval(IntervalReport Total, IReadOnlyList<FlowInterval> Flows, int FlowCount)
{
    public const int MaxFlows = 16;

    public override string ToString() => RecordText.Of(nameof(TrafficInterval), PrintMembers, (nameof(Flows), Flows));
}

/// <summary>What one flow moved in an interval.</summary>
/// <param name="Name">The thread's number, or the first digits of the stream's id.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct FlowInterval(string Name, long Datagrams, long Bytes, long? Lost);
