using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interrupts;

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

/// <summary>How far a CPU is from the nearest of <see cref="CpuRanking.Anchors"/>.</summary>
internal enum CpuDistance
{
    SameCpu,
    SameCore,
    SameCache,
    SameNode,
    OtherNode,
}

/// <summary>A CPU that may be chosen, with the facts that the choice depends on.</summary>
internal sealed class CpuCandidate
{
    public required int Number { get; init; }

    public required int CoreKey { get; init; }

    public required InterruptLevel Level { get; init; }

    public required InterruptLevel SiblingLevel { get; init; }

    public required CpuDistance? Distance { get; init; }

    public required bool IsSlow { get; init; }

    /// <summary>Among the CPUs of its core, from 0.</summary>
    public required int SiblingIndex { get; init; }

    /// <summary>Threads of the test on the CPU, the other end's included.</summary>
    public int ThreadCount { get; set; }

    /// <summary>By the questions of <see cref="CpuPlan"/> in turn; lower is better.</summary>
    public bool IsBetterThan(CpuCandidate other, IReadOnlyDictionary<int, int> coreThreads, bool lastFirst) =>
        Answers(coreThreads, lastFirst).AsSpan().SequenceCompareTo(other.Answers(coreThreads, lastFirst)) < 0;

    private int[] Answers(IReadOnlyDictionary<int, int> coreThreads, bool lastFirst) =>
    [
        ThreadCount,
        (int)Level,
        coreThreads.GetValueOrDefault(CoreKey),
        Distance == CpuDistance.OtherNode ? 1 : 0,
        IsSlow ? 1 : 0,
        (int)SiblingLevel,
        Distance > CpuDistance.SameCache ? 1 : 0,
        SiblingIndex,
        lastFirst ? -Number : Number,
    ];
}

/// <summary>Shared cores, caches and nodes. Unknown places count as near: a guess must not send threads away.</summary>
internal sealed class CpuLayout
{
    private readonly CpuFacts _cpus;
    private readonly Dictionary<int, List<int>> _cores = [];

    public CpuLayout(CpuFacts cpus)
    {
        _cpus = cpus;
        var groups = new Dictionary<(int, int), List<int>>();
        foreach (CpuInfo cpu in cpus.All)
        {
            if (!groups.TryGetValue(KeyOf(cpu), out List<int>? group)) groups[KeyOf(cpu)] = group = [];

            group.Add(cpu.Number);
            _cores[cpu.Number] = group;
        }
    }

    /// <summary>In rising order, with the CPU itself; the CPU alone where its core is unknown.</summary>
    public IReadOnlyList<int> CoreOf(int number) => _cores.TryGetValue(number, out List<int>? core) ? core : [number];

    public CpuDistance Distance(CpuInfo cpu, CpuInfo other)
    {
        if (cpu.Number == other.Number) return CpuDistance.SameCpu;

        if (CpuList.Contains(CoreOf(cpu.Number), other.Number)) return CpuDistance.SameCore;

        int? home = cpu.Node ?? cpu.Package;
        int? otherHome = cpu.Node is null ? other.Package : other.Node;
        if (home is not null && otherHome is not null && home != otherHome) return CpuDistance.OtherNode;

        return cpu.FirstOfCache is not null && cpu.FirstOfCache == other.FirstOfCache
            ? CpuDistance.SameCache
            : CpuDistance.SameNode;
    }

    /// <summary>Of the cache (else the node) that has the most usable CPUs; among equals the first.</summary>
    public List<int> LargestGroup() =>
    [
        .. _cpus.All.Where(static cpu => cpu.Usable)
            .GroupBy(static cpu => cpu.FirstOfCache ?? cpu.Node ?? cpu.Package)
            .OrderByDescending(static group => group.Count())
            .FirstOrDefault()?.Select(static cpu => cpu.Number) ?? [],
    ];

    private static (int, int) KeyOf(CpuInfo cpu) => cpu switch
    {
        { FirstOfCore: { } first } => (-1, first),
        { Core: { } core, Package: { } package } => (package, core),
        _ => (-2, cpu.Number),
    };
}

/// <summary>How much of the interface's work a CPU does for the kernel. Higher is worse.</summary>
internal enum InterruptLevel
{
    None,

    /// <summary>Few for this traffic.</summary>
    OtherDirection,

    /// <summary>Arrivals that RPS passes on to it.</summary>
    Steered,

    Serves,
}

/// <summary>Which CPUs serve the interrupts of a request's interfaces.</summary>
internal sealed class InterruptLoad
{
    private readonly Dictionary<int, (InterruptLevel Level, string What)> _levels = [];

    public InterruptLoad(CpuPlanOptions request)
    {
        InterruptDirection other = request.IsReceiver ? InterruptDirection.Send : InterruptDirection.Receive;
        foreach (InterfaceInterrupts network in request.IsLoopback ? [] : request.Interfaces)
        {
            foreach (int cpu in network.SteeredCpuNumbers)
            {
                // At a sender RPS passes on only the few datagrams that come back.
                Raise(
                    cpu,
                    request.IsReceiver ? InterruptLevel.Steered : InterruptLevel.OtherDirection,
                    $"arrivals of {network.Name} (RPS)");
            }

            foreach (InterfaceInterrupt interrupt in network.Interrupts)
            {
                InterruptLevel level =
                    interrupt.Direction == other ? InterruptLevel.OtherDirection : InterruptLevel.Serves;
                foreach (int cpu in interrupt.CpuNumbers)
                {
                    Raise(cpu, level, $"interrupts of {network.Name}");
                }
            }
        }
    }

    public IEnumerable<int> CpuNumbers => _levels.Keys.Order();

    public InterruptLevel LevelOf(int cpu) =>
        _levels.TryGetValue(cpu, out (InterruptLevel Level, string What) found) ? found.Level : InterruptLevel.None;

    public List<int> Heaviest()
    {
        InterruptLevel maxLevel = _levels.Values.Select(static value => value.Level).DefaultIfEmpty().Max();
        return [.. CpuNumbers.Where(cpu => LevelOf(cpu) == maxLevel)];
    }

    public string Describe(int cpu) => _levels[cpu].What;

    private void Raise(int cpu, InterruptLevel level, string what)
    {
        if (level > LevelOf(cpu)) _levels[cpu] = (level, what);
    }
}
