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

    /// <summary>The processor's name; null where the system states none.</summary>
    [JsonPropertyOrder(-18)]
    public string? CpuModel { get; set; }

    /// <summary>
    /// The .NET runtime and its version; <c>unknown</c> in a report that was read and does not tell.
    /// </summary>
    [JsonPropertyOrder(-17)]
    public string Runtime { get; set; } = RuntimeInformation.FrameworkDescription;

    /// <summary>CPUs that the process may use; 0 in a report that was read and does not tell.</summary>
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
    [JsonPropertyName("demotions")]
    public long GsoFallbacks { get; set; }

    /// <summary>Memory of the process in RAM at the end, in bytes.</summary>
    [JsonPropertyOrder(-7)]
    public long ResidentBytes { get; set; }

    /// <summary>The most memory that the process ever had in RAM, in bytes.</summary>
    [JsonPropertyOrder(-6)]
    public long ResidentPeakBytes { get; set; }

    /// <summary>
    /// The host's CPUs that matter to the run, or with <c>--cores</c> all of them, over the time with traffic (over the
    /// whole run where no datagram moved); empty where the system does not tell.
    /// </summary>
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

    /// <summary>
    /// What the limit was, in one sentence; null where the system does not tell, and for traffic of under 0.2 s.
    /// </summary>
    [JsonPropertyOrder(-6)]
    public string? Limit { get; set; }

    /// <summary>
    /// CPU seconds for which control groups kept the process from running (<c>cpu.max</c>), over the time of
    /// <see cref="Cores"/>; null where no group counts them.
    /// </summary>
    [JsonPropertyOrder(-6)]
    public double? ThrottledSeconds { get; set; }

    /// <summary>The links that the run used; empty where none is known.</summary>
    [JsonPropertyOrder(-6)]
    public LinkReport[] Links { get; set; } = [];

    /// <summary>The threads that move datagrams, or handle them; empty where no thread does this alone.</summary>
    internal virtual IReadOnlyList<ThreadReport> WorkingThreads => [];

    internal sealed override IEnumerable<ReportSetting> ComparedSettings => MachineSettings.Concat(RunSettings);

    /// <summary>The settings of the machine and of what moves datagrams on it.</summary>
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

    /// <summary>The settings of the run.</summary>
    internal virtual IEnumerable<ReportSetting> RunSettings => [ReportSetting.Of("flows", Flows)];

    /// <summary>What <see cref="Cores"/> and <see cref="Limit"/> come from; null in a report that was read.</summary>
    internal CpuTotals? CoreSum { get; private set; }

    /// <summary>Makes a report that is about to be read state nothing of this host.</summary>
    internal override void ForgetHost() => (Kernel, Runtime, Cpus) = (NotKnown, NotKnown, 0);

    /// <summary>Fills in what the CPUs did in the time with traffic.</summary>
    internal void SetCores(CpuTotals sum, bool showsAll)
    {
        CoreSum = sum;
        Cores = sum.Report(showsAll);
        (LimitCpu, LimitCause, Limit) = sum.FindLimit();
        ThrottledSeconds = sum.ThrottledSeconds;
    }

    /// <summary>
    /// Reads what processor this is and how much memory the process holds now. Called at the end of a run, because
    /// reading takes time from the traffic.
    /// </summary>
    internal virtual void SetHost()
    {
        CpuModel = CpuFacts.ReadModelName();
        var memory = MemoryUsage.Read();
        (ResidentBytes, ResidentPeakBytes) = (memory.ResidentBytes, memory.ResidentPeakBytes);
    }
}
