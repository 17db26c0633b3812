using System.Runtime.InteropServices;
using System.Text.Json.Serialization;
using Spate.HostTuning;
using Spate.HostTuning.Cpus;
using Spate.HostTuning.Usage;
using Spate.Measurement.Cores;

namespace Spate.Measurement.Reports;

/// <summary>What every report of a measurement states about how and where its figures were taken.</summary>
public abstract record MeasurementReport : Report
{
    /// <summary>The kernel's name and release.</summary>
    [JsonPropertyOrder(-18)]
    public string Kernel { get; set; } = HostFacts.ReadKernel();

    /// <summary>The processor's name; null where the system states none.</summary>
    [JsonPropertyOrder(-18)]
    public string? CpuModel { get; set; }

    /// <summary>The .NET runtime and its version.</summary>
    [JsonPropertyOrder(-17)]
    public string Runtime { get; set; } = RuntimeInformation.FrameworkDescription;

    /// <summary>CPUs that the process may use.</summary>
    [JsonPropertyOrder(-16)]
    public int Cpus { get; set; } = Environment.ProcessorCount;

    /// <summary>The backend in use, for example <c>mmsg</c>; null where each row has its own.</summary>
    [JsonPropertyOrder(-14)]
    public string? Backend { get; set; }

    /// <summary>
    /// The offloads in use, for example <c>gso</c> and <c>gro</c>; empty for none or where each row has its own.
    /// </summary>
    [JsonPropertyOrder(-13)]
    public string[] Offloads { get; set; } = [];

    /// <summary>Flows (different source ports or streams) that were sent or expected; null if unknown.</summary>
    [JsonPropertyOrder(-12)]
    public int? Flows { get; set; }

    /// <summary>The local ports of the sockets that took part.</summary>
    [JsonPropertyOrder(-11)]
    public int[] Ports { get; set; } = [];

    /// <summary>Bytes of socket buffer that were asked for, for each socket.</summary>
    [JsonPropertyOrder(-10)]
    public long BufferAskedBytes { get; set; }

    /// <summary>Bytes of socket buffer that the system granted, for each socket.</summary>
    [JsonPropertyOrder(-9)]
    public long BufferGrantedBytes { get; set; }

    /// <summary>Fast paths that were switched off during the run.</summary>
    [JsonPropertyOrder(-8)]
    public long Demotions { get; set; }

    /// <summary>Memory of the process in RAM at the end, in bytes.</summary>
    [JsonPropertyOrder(-7)]
    public long ResidentBytes { get; set; }

    /// <summary>The most memory that the process ever had in RAM, in bytes.</summary>
    [JsonPropertyOrder(-6)]
    public long ResidentPeakBytes { get; set; }

    /// <summary>
    /// The host's CPUs during the run that matter to it, or with <c>--cores</c> all of them; empty where the system
    /// does not tell.
    /// </summary>
    [JsonPropertyOrder(4)]
    public CoreReport[] Cores { get; set; } = [];

    /// <summary>The CPU that was the limit of the run; null where none was full with work of this run.</summary>
    [JsonPropertyOrder(-6)]
    public int? LimitCpu { get; set; }

    /// <summary>Which CPU was the limit, in one sentence; null where the system does not tell.</summary>
    [JsonPropertyOrder(-6)]
    public string? Limit { get; set; }

    /// <summary>
    /// CPU seconds for which control groups kept the process from running (<c>cpu.max</c>); null where no group limits
    /// it.
    /// </summary>
    [JsonPropertyOrder(-6)]
    public double? ThrottledSeconds { get; set; }

    /// <summary>The links that the run used; empty where none is known.</summary>
    [JsonPropertyOrder(-6)]
    public LinkReport[] Links { get; set; } = [];

    internal void SetCores(CoreSummary summary)
    {
        Cores = summary.Cores;
        (LimitCpu, Limit) = (summary.Limit.Cpu, summary.Limit.Sentence);
        ThrottledSeconds = summary.ThrottledSeconds;
    }

    /// <summary>
    /// Reads what processor this is and how much memory the process holds now. Called at the end of a run, because
    /// reading takes time from the traffic.
    /// </summary>
    internal void SetHost()
    {
        CpuModel = CpuFacts.ReadModelName();
        var memory = MemoryUsage.Read();
        (ResidentBytes, ResidentPeakBytes) = (memory.ResidentBytes, memory.ResidentPeakBytes);
    }
}
