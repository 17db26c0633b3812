using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>One thread of a server: what it did and used from the start to the end.</summary>
internal sealed record ServerThreadReport : ThreadReport
{
    /// <summary>The index, in reports, of the thread that receives for others.</summary>
    public const int ReaderIndex = -1;

    public const string HandleRole = "handle";

    public const string ReceiveRole = "receive";

    /// <summary>The shard's index; -1 for the thread that receives for others.</summary>
    public int Shard { get; set; }

    /// <summary>The thread's number in the system (gettid, GetCurrentThreadId); null if unknown.</summary>
    public int? SystemThreadId { get; set; }

    public string? AllowedCpuList { get; set; }

    public long Datagrams { get; set; }

    public long Bytes { get; set; }

    /// <summary>In percent of all; null for the thread that receives for others.</summary>
    public double? SharePercent { get; set; }

    /// <summary>Calls that brought datagrams: receives, or batches taken from the other thread.</summary>
    public long Calls { get; set; }

    public int LeastPerCall { get; set; }

    public double MeanPerCall => Statistics.Ratio(Datagrams, Calls);

    public int MostPerCall { get; set; }

    public double? CpuSeconds => CpuNanoseconds / 1e9;

    public long Sleeps { get; set; }

    public long Sent { get; set; }

    public int? Sessions { get; set; }
}
