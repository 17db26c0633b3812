using System.Runtime.InteropServices;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>One interval of a run.</summary>
internal sealed class IntervalReport
{
    /// <summary>The seconds from which on the rate of an interval means something.</summary>
    internal const double MinRateSeconds = 0.05;

    /// <summary>The default time between two interval reports: 1 s.</summary>
    public static readonly TimeSpan DefaultInterval = TimeSpan.FromSeconds(1);

    /// <summary>Seconds from the start of the run to the start of the interval.</summary>
    public double StartSeconds { get; set; }

    /// <summary>How long the interval was.</summary>
    public double Seconds { get; set; }

    /// <summary>Datagrams sent or received in the interval.</summary>
    public long Datagrams { get; set; }

    /// <summary>Their payload bytes.</summary>
    public long Bytes { get; set; }

    /// <summary>
    /// <see cref="Datagrams"/> / <see cref="Seconds"/>; null where there were datagrams in less than 50 ms, which
    /// is too short to tell a rate: the time contains the start and the end of threads. It is written, not read.
    /// </summary>
    public double? DatagramsPerSecond => RateOf(Datagrams);

    /// <summary>
    /// Payload bits per second; null where <see cref="DatagramsPerSecond"/> is. It is written, not read.
    /// </summary>
    public double? BitsPerSecond => RateOf(8.0 * Bytes);

    /// <summary>
    /// How much the loss grew. Negative if datagrams that were missing at the end of the previous interval arrived in
    /// this one. Null at a sender. At the sender of a test: what the receiver has said by then.
    /// </summary>
    public long? Lost { get; set; }

    /// <summary>CPU time of the process in percent of one CPU.</summary>
    public double CpuPercent { get; set; }

    /// <summary>
    /// Methods that the runtime compiled in the interval, which takes CPU time from the traffic; null where it was not
    /// counted.
    /// </summary>
    public long? CompiledMethods { get; set; }

    /// <summary>Bytes that the process allocated on the managed heap; null where it was not counted.</summary>
    public long? AllocatedBytes { get; set; }

    /// <summary>Garbage collections; null where they were not counted.</summary>
    public int? Gen0Collections { get; set; }

    /// <summary>Memory of the process in RAM at the interval's end, in bytes; null where it was not read.</summary>
    public long? ResidentBytes { get; set; }

    /// <summary>The host's CPUs that matter to the run, or with <c>--cores</c> all of them.</summary>
    public CpuReport[] Cores { get; set; } = [];

    /// <summary>The threads of the run.</summary>
    public ThreadIntervalReport[] Threads { get; set; } = [];

    /// <summary>A part of the interval's traffic per second; null where the interval is too short.</summary>
    public double? RateOf(double amount) =>
        Datagrams > 0 && Seconds < MinRateSeconds ? null : Statistics.Ratio(amount, Seconds);

    /// <summary>Adds the interval that follows this one.</summary>
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
/// <param name="Total">The figures of all flows together.</param>
/// <param name="Flows">
/// The flows that moved datagrams, where there is more than one flow: threads of a sender, streams at a receiver. At
/// most <see cref="MaxFlows"/>, those that moved most.
/// </param>
/// <param name="FlowCount">The number of flows that moved datagrams.</param>
internal sealed record TrafficInterval(IntervalReport Total, IReadOnlyList<FlowInterval> Flows, int FlowCount)
{
    /// <summary>The number of flows that are reported one by one.</summary>
    public const int MaxFlows = 16;

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(TrafficInterval), PrintMembers, (nameof(Flows), Flows));
}

/// <summary>What one flow moved in an interval.</summary>
/// <param name="Name">The thread's number, or the first digits of the stream's id.</param>
/// <param name="Datagrams">Datagrams sent or received.</param>
/// <param name="Bytes">Their payload bytes.</param>
/// <param name="Lost">How much the loss grew; null at a sender.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct FlowInterval(string Name, long Datagrams, long Bytes, long? Lost);
