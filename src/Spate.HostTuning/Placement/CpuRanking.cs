using Spate.HostTuning.Reading.Cpus;

namespace Spate.HostTuning.Placement;

/// <summary>The usable CPUs of a machine as candidates. The best one is taken for one thread after another.</summary>
internal sealed class CpuRanking
{
    // Efficiency cores reach about three quarters of the performance cores' frequency; cores of one kind differ by a
    // few percent, which is too little to avoid any of them.
    private const int SlowPercent = 85;

    private readonly Dictionary<int, int> _coreThreads = [];
    private readonly bool _lastFirst;

    public CpuRanking(CpuFacts cpus, CpuPlanOptions request, InterruptLoad load)
    {
        _lastFirst = request.IsReceiver;
        var layout = new CpuLayout(cpus);
        Anchors = FindAnchors(cpus, layout, request, load);
        int maxKilohertz = cpus.All.Max(static cpu => cpu.MaximumKilohertz) ?? 0;
        List<CpuInfo> near = [.. cpus.All.Where(cpu => Anchors.Contains(cpu.Number))];
        foreach (CpuInfo cpu in cpus.All.Where(static cpu => cpu.Usable))
        {
            IReadOnlyList<int> core = layout.CoreOf(cpu.Number);
            Candidates.Add(new CpuCandidate
            {
                Number = cpu.Number,
                CoreKey = core[0],
                Level = load.LevelOf(cpu.Number),
                SiblingLevel = core.Where(sibling => sibling != cpu.Number).Select(load.LevelOf).DefaultIfEmpty().Max(),
                Distance = near.Count == 0 ? null : near.Min(anchor => layout.Distance(cpu, anchor)),
                IsSlow = (long?)cpu.MaximumKilohertz * 100 < (long)maxKilohertz * SlowPercent,
                SiblingIndex = CpuList.IndexOf(core, cpu.Number),
            });
        }

        foreach (int number in request.OtherEndCpus)
        {
            Count(layout.CoreOf(number)[0], Candidates.Find(candidate => candidate.Number == number));
        }
    }

    public List<CpuCandidate> Candidates { get; } = [];

    /// <summary>The CPUs that threads should be near to, in rising order.</summary>
    public IReadOnlyList<int> Anchors { get; }

    /// <summary>For one thread. There must be a candidate left.</summary>
    public CpuCandidate Take()
    {
        CpuCandidate best = Candidates[0];
        foreach (CpuCandidate candidate in Candidates)
        {
            if (candidate.IsBetterThan(best, _coreThreads, _lastFirst)) best = candidate;
        }

        Count(best.CoreKey, best);
        return best;
    }

    private void Count(int coreKey, CpuCandidate? candidate)
    {
        _coreThreads[coreKey] = _coreThreads.GetValueOrDefault(coreKey) + 1;
        if (candidate is not null) candidate.ThreadCount++;
    }

    private static List<int> FindAnchors(
        CpuFacts cpus, CpuLayout layout, CpuPlanOptions request, InterruptLoad load)
    {
        // The CPUs that serve interrupts; of these, where possible, those on the card's own node, where its memory is.
        List<int> serving = load.Heaviest();
        int[] nodes = [.. request.Interfaces.Select(static network => network.Node).OfType<int>()];
        List<int> local = [.. cpus.All.Where(cpu => cpu.Node is { } node && nodes.Contains(node)).Select(Number)];
        if (serving.Count > 0)
        {
            List<int> both = [.. serving.Where(local.Contains)];
            return both.Count > 0 ? both : serving;
        }

        if (local.Count > 0 && !request.IsLoopback) return local;

        // Without a device, one end reads what the other has written, so both should share a cache.
        return request.OtherEndCpus.Count > 0 ? [.. request.OtherEndCpus.Order()] : layout.LargestGroup();
    }

    private static int Number(CpuInfo cpu) => cpu.Number;
}
