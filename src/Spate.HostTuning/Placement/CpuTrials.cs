using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.HostTuning.Placement;

/// <summary>What a sweep tries, the default first: one of each kind, since CPUs of one kind measure alike.</summary>
internal static class CpuTrials
{
    public const int MaxCount = 8;

    private const string Default = "the default";

    private static readonly CpuDistance[] Kinds =
        [CpuDistance.SameCore, CpuDistance.SameCache, CpuDistance.SameNode, CpuDistance.OtherNode];

    /// <summary>At most <see cref="MaxCount"/>, the default first; empty without a usable CPU.</summary>
    public static IReadOnlyList<CpuTrial> OfPair(CpuFacts cpus, IReadOnlyList<InterfaceInterrupts> interfaces)
    {
        var plan = LoopbackPlan.Make(cpus);
        if (plan.Sender.Threads.Count == 0) return [];

        (int sender, int receiver) = (plan.Sender.Threads[0].Number, plan.Receivers.Threads[0].Number);
        var around = new TrialLayout(cpus, receiver, interfaces);
        List<CpuTrial> trials =
        [
            new([sender, receiver], Default),
            new([receiver, sender], "ends exchanged"),
            new([sender, sender], "one CPU for both"),
            new([receiver, receiver], "one CPU for both"),
            .. Kinds.Where(kind => kind != around.DistanceOf(sender))
                .Select(kind => (Kind: kind, Cpu: around.Find(kind)))
                .Where(static found => found.Cpu is not null)
                .Select(found => new CpuTrial([found.Cpu!.Value, receiver], NameOf(found.Kind))),
        ];
        if (around.InterruptCpu is { } busy)
        {
            trials.Add(new([busy == sender ? receiver : sender, busy], "receiver where " + around.InterruptText));
        }

        return Distinct(trials);
    }

    /// <summary>For a thread that both sends and receives.</summary>
    public static IReadOnlyList<CpuTrial> OfThread(CpuFacts cpus, IReadOnlyList<InterfaceInterrupts> interfaces)
    {
        CpuPlan plan = LoopbackPlan.Make(cpus).Receivers;
        if (plan.Threads.Count == 0) return [];

        var around = new TrialLayout(cpus, plan.Threads[0].Number, interfaces);
        List<CpuTrial> trials =
        [
            new([plan.Threads[0].Number], Default),
            .. Kinds.Select(kind => (Kind: kind, Cpu: around.Find(kind)))
                .Where(static found => found.Cpu is not null)
                .Select(found => new CpuTrial([found.Cpu!.Value], NameOf(found.Kind))),
        ];
        if (around.InterruptCpu is { } busy) trials.Add(new([busy], "where " + around.InterruptText));

        return Distinct(trials);
    }

    private static string NameOf(CpuDistance kind) => kind switch
    {
        CpuDistance.SameCore => "one core (SMT)",
        CpuDistance.SameCache => "one last-level cache",
        CpuDistance.OtherNode => "two NUMA nodes",
        _ => "one NUMA node",
    };

    private static List<CpuTrial> Distinct(List<CpuTrial> trials) =>
        [.. trials.DistinctBy(static trial => trial.Option, StringComparer.Ordinal)];

    // The usable CPUs as seen from one of them.
    private sealed class TrialLayout
    {
        private readonly CpuInfo[] _usable;
        private readonly CpuLayout _layout;
        private readonly CpuInfo _center;

        public TrialLayout(CpuFacts cpus, int center, IReadOnlyList<InterfaceInterrupts> interfaces)
        {
            _usable = [.. cpus.All.Where(static cpu => cpu.Usable)];
            _layout = new CpuLayout(cpus);
            _center = Array.Find(_usable, cpu => cpu.Number == center)!;
            var load = new InterruptLoad(
                new CpuPlanOptions { ThreadCount = 1, IsReceiver = true, Interfaces = interfaces });
            InterruptCpu = load.Heaviest().Where(cpu => Array.Exists(_usable, one => one.Number == cpu))
                .Select(static cpu => (int?)cpu).FirstOrDefault();
            InterruptText = InterruptCpu is { } busy ? $"{load.Describe(busy)} are handled" : "";
        }

        public int? InterruptCpu { get; }

        public string InterruptText { get; }

        public CpuDistance DistanceOf(int number) =>
            _layout.Distance(_center, Array.Find(_usable, cpu => cpu.Number == number)!);

        public int? Find(CpuDistance kind) =>
            Array.Find(_usable, cpu => _layout.Distance(_center, cpu) == kind)?.Number;
    }
}

/// <summary>CPUs that are worth a trial, in the order of <c>--cpu</c>: sender and receiver, or one thread's.</summary>
internal sealed record CpuTrial(IReadOnlyList<int> Cpus, string What)
{
    /// <summary>The value of <c>--cpu</c> that takes these CPUs, such as <c>0,1</c>.</summary>
    public string Option => string.Join(',', Cpus);
}
