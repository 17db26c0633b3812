namespace Spate.Measurement.Reports;

/// <summary>The link of an interface that a run used. A value is null where the system does not tell.</summary>
public sealed record LinkReport
{
    /// <summary>The name of the interface.</summary>
    public string Interface { get; set; } = "";

    /// <summary>The largest packet that it takes.</summary>
    public int? MtuBytes { get; set; }

    /// <summary>The speed that was negotiated; null for a loopback and most virtual interfaces.</summary>
    public long? SpeedBitsPerSecond { get; set; }

    /// <summary>The queues that arrivals are spread over (receive-side scaling).</summary>
    public int? ReceiveQueues { get; set; }

    /// <summary>Of these, the ones whose interrupts came during the run; null without interrupts of its own.</summary>
    public int? ReceiveQueuesInUse { get; set; }

    /// <summary>The queues to send from.</summary>
    public int? SendQueues { get; set; }

    /// <summary>The NUMA node of its device.</summary>
    public int? Node { get; set; }

    /// <summary>The CPUs that handle its interrupts, for example <c>0-3</c>; empty where unknown.</summary>
    public string InterruptCpuList { get; set; } = "";
}
