using System.Runtime.InteropServices;
using System.Text.Json.Serialization;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.Reports;

namespace Spate.Measurement.HostUse;

/// <summary>What every report of a measurement states about how and where its figures were taken.</summary>
internal abstract record MeasurementReport : Report
{
    private const string NotKnown = "unknown";

    /// <summary>The kernel's name and release; <c>unknown</c> in a report that was read and does not tell.</summary>
    [JsonPropertyOrder(-18)]
    public string Kernel { get; set; } = HostFacts.ReadKernel();

    [JsonPropertyOrder(-18)]
    public string? CpuModel { get; set; }

    /// <summary><c>unknown</c> in a report that was read and does not tell.</summary>
    [JsonPropertyOrder(-17)]
    public string Runtime { get; set; } = RuntimeInformation.FrameworkDescription;

    /// <summary>CPUs that the process may use; 0 in a report that was read and does not tell.</summary>
    [JsonPropertyOrder(-16)]
    public int Cpus { get; set; } = Environment.ProcessorCount;

    /// <summary>The backend in use, for example <c>mmsg</c>; null where each row has its own.</summary>
    [JsonPropertyOrder(-14)]
    public string? Backend { get; set; }

    /// <summary>Empty for none or where each row has its own.</summary>
    [JsonPropertyOrder(-13)]
    public string[] Offloads { get; set; } = [];

    /// <summary>Flows (different source ports or streams) that were sent or expected; null if unknown.</summary>
    [JsonPropertyOrder(-12)]
    public int? Flows { get; set; }

    [JsonPropertyOrder(-11)]
    public int[] Ports { get; set; } = [];

    [JsonPropertyOrder(-10)]
    public long BufferAskedBytes { get; set; }

    [JsonPropertyOrder(-9)]
    public long BufferGrantedBytes { get; set; }

    [JsonPropertyOrder(-8)]
    [JsonPropertyName("demotions")]
    public long GsoFallbacks { get; set; }

    [JsonPropertyOrder(-7)]
    public long ResidentBytes { get; set; }

    [JsonPropertyOrder(-6)]
    public long ResidentPeakBytes { get; set; }

    /// <summary>Over the time with traffic: those that matter, or with <c>--cores</c> all.</summary>
    [JsonPropertyOrder(4)]
    public CpuReport[] Cores { get; set; } = [];

    /// <summary>The CPU that was full where the run had work while it had traffic; null where none was.</summary>
    [JsonPropertyOrder(-6)]
    public int? LimitCpu { get; set; }

    /// <summary>
    /// What the limit of the run was: <c>work</c> of this run filled <see cref="LimitCpu"/>, or <c>softirq</c> work on
    /// packets, the hypervisor (<c>steal</c>) or an <c>other program</c> did; one <c>thread</c> never paused, on
    /// changing CPUs; the <c>quota</c> of a control group was used up. <c>spin</c>: a thread that spins on purpose
    /// hides the limit. Null where nothing was the limit.
    /// </summary>
    [JsonPropertyOrder(-6)]
    public string? LimitCause { get; set; }

    /// <summary>In one sentence; null where the system does not tell, and for traffic of under 0.2 s.</summary>
    [JsonPropertyOrder(-6)]
    public string? Limit { get; set; }

    /// <summary>Withheld over the time of <see cref="Cores"/> (<c>cpu.max</c>); null where no group counts.</summary>
    [JsonPropertyOrder(-6)]
    public double? ThrottledSeconds { get; set; }

    [JsonPropertyOrder(-6)]
    public LinkReport[] Links { get; set; } = [];

    /// <summary>The threads that move datagrams, or handle them; empty where no thread does this alone.</summary>
    internal virtual IReadOnlyList<ThreadReport> WorkingThreads => [];

    internal sealed override IEnumerable<ReportSetting> ComparedSettings => MachineSettings.Concat(RunSettings);

    internal virtual IEnumerable<ReportSetting> MachineSettings =>
    [
        new("kernel", Kernel, MustBeAlike: true),
        ReportSetting.Of("cpuModel", CpuModel) with { MustBeAlike = true },
        ReportSetting.Of("cpus", Cpus) with { MustBeAlike = true },
        new("runtime", Runtime),
        ReportSetting.Of("backend", Backend),
        ReportSetting.Of("offloads", Offloads),
        ReportSetting.Of("bufferGrantedBytes", BufferGrantedBytes),
        ReportSetting.Of("demotions", GsoFallbacks),
        ReportSetting.Of("links", Links.Select(static link => link.SettingText)),
        ReportSetting.Of("threads", ThreadReport.SettingTexts(WorkingThreads)),
    ];

    internal virtual IEnumerable<ReportSetting> RunSettings => [ReportSetting.Of("flows", Flows)];

    /// <summary>What <see cref="Cores"/> and <see cref="Limit"/> come from; null in a report that was read.</summary>
    internal CpuTotals? CoreSum { get; private set; }

    internal override void ForgetHost() => (Kernel, Runtime, Cpus) = (NotKnown, NotKnown, 0);

    internal void SetCores(CpuTotals sum, bool showsAll)
    {
        CoreSum = sum;
        Cores = sum.Report(showsAll);
        (LimitCpu, LimitCause, Limit) = sum.FindLimit();
        ThrottledSeconds = sum.ThrottledSeconds;
    }

    /// <summary>Called at the end of a run, because reading takes time from the traffic.</summary>
    internal virtual void SetHost()
    {
        CpuModel = CpuFacts.ReadModelName();
        var memory = MemoryUsage.Read();
        (ResidentBytes, ResidentPeakBytes) = (memory.ResidentBytes, memory.ResidentPeakBytes);
    }
}

/// <summary>What every report about the state of a host says of where it comes from.</summary>
internal abstract record HostReport : Report
{
    [JsonPropertyOrder(-18)]
    public required string SpateVersion { get; set; }

    [JsonPropertyOrder(-17)]
    public required string Kernel { get; set; }
}
