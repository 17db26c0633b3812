using Spate.HostTuning.Usage;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Meters;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Serving;

/// <summary>One thread of a server: what it did and used from the start to the end.</summary>
public sealed record ServeThreadReport : ThreadReport
{
    /// <summary>The role of a thread that runs a handler.</summary>
    public const string HandleRole = "handle";

    /// <summary>The role of the thread that receives for others.</summary>
    public const string ReceiveRole = "receive";

    /// <summary>The shard's index; -1 for the thread that receives for others.</summary>
    public int Shard { get; set; }

    /// <summary>Datagrams handled, or handed on.</summary>
    public long Datagrams { get; set; }

    /// <summary>Their payload bytes.</summary>
    public long Bytes { get; set; }

    /// <summary>Its share of all datagrams handled, 0 to 100; null for the thread that receives for others.</summary>
    public double? SharePercent { get; set; }

    /// <summary>Calls that brought datagrams: receives, or batches taken from the other thread.</summary>
    public long Calls { get; set; }

    /// <summary>The fewest datagrams that a call brought; 0 where there was none.</summary>
    public int LeastPerCall { get; set; }

    /// <summary><see cref="Datagrams"/> / <see cref="Calls"/>; written, not read.</summary>
    public double MeanPerCall => Statistics.Ratio(Datagrams, Calls);

    /// <summary>The most datagrams that a call brought.</summary>
    public int MostPerCall { get; set; }

    /// <summary><see cref="ThreadReport.CpuNanoseconds"/> in seconds; written, not read.</summary>
    public double? CpuSeconds => CpuNanoseconds / 1e9;

    /// <summary>Times it went to sleep.</summary>
    public long Sleeps { get; set; }

    /// <summary>Datagrams that it sent: answers, forwarded ones.</summary>
    public long Sent { get; set; }

    /// <summary>Peers that it kept a session for at the end; null where none are kept.</summary>
    public int? Sessions { get; set; }

    internal void SetUsage(ThreadUsage usage)
    {
        CpuNanoseconds = usage.CpuNanoseconds;
        VoluntarySwitches = usage.VoluntarySwitches;
        InvoluntarySwitches = usage.InvoluntarySwitches;
    }
}
