using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Rounds;

/// <summary>What the CPUs did in the rounds of one row, and which of them was its limit.</summary>
internal sealed record BenchRowLimit
{
    /// <summary>The row, with its settings where rows differ by them.</summary>
    public string Row { get; set; } = "";

    public int SizeBytes { get; set; }

    /// <summary>See <see cref="MeasurementReport.LimitCpu"/>; over all rounds of the row.</summary>
    public int? LimitCpu { get; set; }

    public string? LimitCause { get; set; }

    /// <summary>See <see cref="MeasurementReport.Limit"/>; null too where all rounds took under 0.2 s.</summary>
    public string? Limit { get; set; }

    public double? ThrottledSeconds { get; set; }

    /// <summary>The CPUs that matter to the row, or with <c>--cores</c> all of them.</summary>
    public CpuReport[] Cores { get; set; } = [];

    public override string ToString() => RecordText.Of(nameof(BenchRowLimit), PrintMembers, (nameof(Cores), Cores));

    /// <summary><paramref name="spins"/> says that the threads use whole CPUs on purpose.</summary>
    internal static BenchRowLimit Of(
        string row, int sizeBytes, IEnumerable<CpuTotals> rounds, IEnumerable<ThreadReport> threads, bool spins)
    {
        // Rows have threads that the bench does not place, such as those of the thread pool. The process's CPU time
        // without that of its placed threads is theirs, wherever it was used.
        var sum = new CpuTotals();
        sum.Places.HasUnknownThreads = true;
        foreach (CpuTotals round in rounds) sum.Add(round);
        foreach (ThreadReport thread in threads) Add(sum.Places, thread, spins);
        CpuLimit limit = sum.FindLimit();
        return new BenchRowLimit
        {
            Row = row,
            SizeBytes = sizeBytes,
            LimitCpu = limit.Cpu,
            LimitCause = limit.Cause,
            Limit = limit.Sentence,
            ThrottledSeconds = sum.ThrottledSeconds,
            Cores =
            [
                .. sum.Report(showsAll: true).Select(core => sum.Places.HasThreadOn(core.Cpu)
                    ? core
                    : core with { OwnPercent = null }),
            ],
        };
    }

    private static void Add(CpuAttribution places, ThreadReport thread, bool spins)
    {
        if (thread.CpuNanoseconds is not { } nanoseconds)
        {
            places.AddRole(thread.Cpu, thread.Role, spins);
            return;
        }

        var use = new ThreadIntervalReport
        {
            Role = thread.Role,
            CpuNanoseconds = nanoseconds,
            UserNanoseconds = thread.UserNanoseconds,
            RunQueueNanoseconds = thread.RunQueueNanoseconds,
        };
        if (thread.Cpu is null) return;

        places.AddThread(use, thread.Cpu, spins);
        places.AddMovable(-nanoseconds);
    }
}
