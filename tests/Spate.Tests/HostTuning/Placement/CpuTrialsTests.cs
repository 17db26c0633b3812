using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interrupts;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Placement;

public sealed class CpuTrialsTests
{
    [Fact]
    public void OfPair_TwoCores_AreTheFourPairsThereAre()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();

        IReadOnlyList<CpuTrial> trials = CpuTrials.OfPair(CpuFacts.Read(host.RootPath), Interrupts(host));

        Assert.Equal(["0,1", "1,0", "0,0", "1,1"], Options(trials));
        Assert.Equal("the default", trials[0].What);
    }

    [Fact]
    public void OfPair_TwoSockets_HasOneOfEachKindAndTheInterruptsCpu()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();

        IReadOnlyList<CpuTrial> trials = CpuTrials.OfPair(CpuFacts.Read(host.RootPath), Interrupts(host));

        Assert.Equal(
            [
                "0,15 the default", "15,0 ends exchanged", "0,0 one CPU for both", "15,15 one CPU for both",
                "47,15 one core (SMT)", "16,15 two NUMA nodes", "0,16 receiver where interrupts of eth0 are handled",
            ],
            trials.Select(static trial => $"{trial.Option} {trial.What}"),
            StringComparer.Ordinal);
    }

    [Fact]
    public void OfThread_TwoSockets_HasOneCpuOfEachKind()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();
        CpuFacts cpus = CpuFacts.Read(host.RootPath);

        Assert.Equal(["15", "47", "0", "16"], Options(CpuTrials.OfThread(cpus, [])));
        Assert.Equal(["15", "47", "0", "16"], Options(CpuTrials.OfThread(cpus, Interrupts(host))));
    }

    [Fact]
    public void OfThread_TwoCores_AreBoth()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();

        Assert.Equal(["1", "0"], Options(CpuTrials.OfThread(CpuFacts.Read(host.RootPath), Interrupts(host))));
    }

    [Fact]
    public void OfPair_OneCpuAllowed_LeavesNothingToTry()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio().With("proc/self/status", "Cpus_allowed_list:\t1\n");
        CpuFacts cpus = CpuFacts.Read(host.RootPath);

        Assert.Equal(["1,1"], Options(CpuTrials.OfPair(cpus, Interrupts(host))));
        Assert.Equal(["1"], Options(CpuTrials.OfThread(cpus, Interrupts(host))));
    }

    [Fact]
    public void OfPair_AnyMachine_HasDifferentUsablePairsWithinTheBound()
    {
        int seed = Random.Shared.Next();
        var random = new Random(seed);
        for (int machine = 0; machine < 300; machine++)
        {
            CpuInfo[] all = [.. Enumerable.Range(0, random.Next(1, 33)).Select(number =>
                new CpuInfo(number, null, null, random.Next(3), random.Next(4) > 0)
                {
                    FirstOfCore = number & ~1,
                    FirstOfCache = number & ~(random.Next(2) == 0 ? 3 : 7),
                    MaximumKilohertz = random.Next(2) == 0 ? 2_000_000 : 4_000_000,
                })];
            var cpus = new CpuFacts { ModelName = null, All = all, QuotaCpus = null };
            IReadOnlyList<CpuTrial> pairs = CpuTrials.OfPair(cpus, []);

            string shown = $"seed {seed}, machine {machine}: {string.Join(' ', Options(pairs))}";
            Assert.True(pairs.Count <= CpuTrials.MaxCount, shown);
            Assert.True(pairs.Count > 0 == cpus.UsableNumbers.Count > 0, shown);
            Assert.True(Options(pairs).Distinct(StringComparer.Ordinal).Count() == pairs.Count, shown);
            Assert.True(pairs.All(pair => pair.Cpus.All(cpus.UsableNumbers.Contains)), shown);
        }
    }

    private static string[] Options(IReadOnlyList<CpuTrial> trials) => [.. trials.Select(static trial => trial.Option)];

    private static IReadOnlyList<InterfaceInterrupts> Interrupts(FakeHost host) =>
        InterfaceInterrupts.ReadAll(["eth0"], host.RootPath);
}
