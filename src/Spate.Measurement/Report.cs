using System.Runtime.InteropServices;
using System.Text.Json.Serialization;
using Spate.HostTuning;

namespace Spate.Measurement;

/// <summary>
/// What every report states: how, where and with what its figures were taken. Written as camelCase JSON by
/// <see cref="ReportJson"/>; a field whose value is not known is null, never left out.
/// </summary>
public abstract record Report
{
    /// <summary>The name and version of the format. A field may be added to it; none changes its meaning.</summary>
    public const string CurrentSchema = "spate/1";

    /// <summary><see cref="CurrentSchema"/>.</summary>
    [JsonPropertyOrder(-20)]
    public string Schema { get; set; } = CurrentSchema;

    /// <summary>
    /// What was measured: <c>send</c>, <c>receive</c>, <c>serve</c>, <c>bench</c> or one of its subcommands.
    /// </summary>
    [JsonPropertyOrder(-19)]
    public string Kind { get; set; } = "";

    /// <summary>The kernel's name and release.</summary>
    [JsonPropertyOrder(-18)]
    public string Kernel { get; set; } = HostFacts.ReadKernel();

    /// <summary>The .NET runtime and its version.</summary>
    [JsonPropertyOrder(-17)]
    public string Runtime { get; set; } = RuntimeInformation.FrameworkDescription;

    /// <summary>CPUs that the process may use.</summary>
    [JsonPropertyOrder(-16)]
    public int Cpus { get; set; } = Environment.ProcessorCount;

    /// <summary>The measuring threads with their CPUs and NUMA nodes.</summary>
    [JsonPropertyOrder(-15)]
    public ThreadReport[] Threads { get; set; } = [];

    /// <summary>The backend in use, as <c>mmsg</c>; null where each row has its own.</summary>
    [JsonPropertyOrder(-14)]
    public string? Backend { get; set; }

    /// <summary>
    /// The offloads in use, as <c>gso</c> and <c>gro</c>; empty for none or where each row has its own.
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

    /// <summary>Takes over how much memory the process holds now; called at the end of a run.</summary>
    internal void SetMemory()
    {
        var memory = MemoryUsage.Read();
        (ResidentBytes, ResidentPeakBytes) = (memory.ResidentBytes, memory.ResidentPeakBytes);
    }
}
