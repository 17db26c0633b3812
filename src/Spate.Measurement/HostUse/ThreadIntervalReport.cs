using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.HostUse;

/// <summary>What one thread of a run did in an interval.</summary>
internal sealed record ThreadIntervalReport : ThreadUseReport
{
    public string Role { get; set; } = "";

    /// <summary>The number of its flow or shard; -1 for a thread that receives for others.</summary>
    public int Index { get; set; }

    /// <summary>The CPU on which it ran last; null where the system does not tell.</summary>
    public int? Cpu { get; set; }

    public long Datagrams { get; set; }

    public long Calls { get; set; }

    /// <summary>
    /// The fewest datagrams of a call; null where no call moved any, and for a thread that receives for others: the
    /// server knows that thread's fewest and most only since the start.
    /// </summary>
    public int? LeastPerCall { get; set; }

    public double MeanPerCall => Statistics.Ratio(Datagrams, Calls);

    /// <summary>The most datagrams of a call; null where <see cref="LeastPerCall"/> is.</summary>
    public int? MostPerCall { get; set; }

    public int? Sessions { get; set; }

    /// <summary>This report, which counts from the start of the run, less an earlier one of the same thread.</summary>
    internal ThreadIntervalReport Since(ThreadIntervalReport? earlier) => earlier is null ? this : this with
    {
        Datagrams = Datagrams - earlier.Datagrams,
        Calls = Calls - earlier.Calls,
        CpuNanoseconds = CpuNanoseconds - (earlier.CpuNanoseconds ?? 0),
        RunQueueNanoseconds = RunQueueNanoseconds - (earlier.RunQueueNanoseconds ?? 0),
        UserNanoseconds = UserNanoseconds - (earlier.UserNanoseconds ?? 0),
        SystemNanoseconds = SystemNanoseconds - (earlier.SystemNanoseconds ?? 0),
        VoluntarySwitches = VoluntarySwitches - (earlier.VoluntarySwitches ?? 0),
        InvoluntarySwitches = InvoluntarySwitches - (earlier.InvoluntarySwitches ?? 0),
        Cycles = Cycles - (earlier.Cycles ?? 0),
    };

    internal (string Role, int Index) Key => (Role, Index);

    internal ThreadIntervalReport Extend(ThreadIntervalReport next) => this with
    {
        Cpu = next.Cpu,
        Datagrams = Datagrams + next.Datagrams,
        Calls = Calls + next.Calls,
        LeastPerCall = LeastPerCall < next.LeastPerCall ? LeastPerCall : next.LeastPerCall ?? LeastPerCall,
        MostPerCall = MostPerCall > next.MostPerCall ? MostPerCall : next.MostPerCall ?? MostPerCall,
        CpuNanoseconds = CpuNanoseconds + next.CpuNanoseconds,
        RunQueueNanoseconds = RunQueueNanoseconds + next.RunQueueNanoseconds,
        UserNanoseconds = UserNanoseconds + next.UserNanoseconds,
        SystemNanoseconds = SystemNanoseconds + next.SystemNanoseconds,
        VoluntarySwitches = VoluntarySwitches + next.VoluntarySwitches,
        InvoluntarySwitches = InvoluntarySwitches + next.InvoluntarySwitches,
        Cycles = Cycles + next.Cycles,
        Sessions = next.Sessions,
    };
}
