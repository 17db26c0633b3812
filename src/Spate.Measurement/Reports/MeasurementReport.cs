using System.Runtime.InteropServices;
using System.Text.Json.Serialization;
using Spate.HostTuning;
using Spate.HostTuning.Cpus;
using Spate.HostTuning.Usage;

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
