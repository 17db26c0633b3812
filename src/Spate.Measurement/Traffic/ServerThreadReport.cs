using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>One thread of a server: what it did and used from the start to the end.</summary>
internal sealed record ServerThreadReport : ThreadReport
{
    /// <summary>The index, in reports, of the thread that receives for others.</summary>
    public const int ReaderIndex = -1;

    /// <summary>The role of a thread that runs a handler.</summary>
    public const string HandleRole = "handle";

    /// <summary>The role of the thread that receives for others.</summary>
    public const string ReceiveRole = "receive";

    /// <summary>The shard's index; -1 for the thread that receives for others.</summary>
    public int Shard { get; set; }

    /// <summary>The thread's number in the system (gettid, GetCurrentThreadId); null if unknown.</summary>
    public int? SystemThreadId { get; set; }

    /// <summary>The CPUs that it may run on, for example <c>0-3</c>; null if unknown.</summary>
    public string? AllowedCpuList { get; set; }

    /// <summary>Datagrams that the thread handled, or passed on to others.</summary>
    public long Datagrams { get; set; }

    /// <summary>Their payload bytes.</summary>
    public long Bytes { get; set; }

    /// <summary>
    /// The thread's share of all datagrams handled, in percent; null for the thread that receives for others.
    /// </summary>
    public double? SharePercent { get; set; }

    /// <summary>Calls that brought datagrams: receives, or batches taken from the other thread.</summary>
    public long Calls { get; set; }

    /// <summary>The fewest datagrams that a call brought; 0 where there was none.</summary>
    public int LeastPerCall { get; set; }

    /// <summary><see cref="Datagrams"/> / <see cref="Calls"/>. It is written, not read.</summary>
    public double MeanPerCall => Statistics.Ratio(Datagrams, Calls);

    /// <summary>The most datagrams that a call brought.</summary>
    public int MostPerCall { get; set; }

    /// <summary><see cref="ThreadUseReport.CpuNanoseconds"/> in seconds. It is written, not read.</summary>
    public double? CpuSeconds => CpuNanoseconds / 1e9;

    /// <summary>How often the thread went to sleep.</summary>
    public long Sleeps { get; set; }

    /// <summary>Answers, or forwarded datagrams, that the thread sent.</summary>
    public long Sent { get; set; }

    /// <summary>Peers with a session at the end; null where the thread keeps none.</summary>
    public int? Sessions { get; set; }
}
