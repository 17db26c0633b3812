using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.Tests.HostTuning.Placement;

/// <summary>What holds for every machine, thread count and place of interrupts.</summary>
public sealed class CpuPlanPropertyTests
{
    [Fact]
    public void Make_AnyMachine_KeepsItsPromises()
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("SPATE_SEED"), out int given)
            ? given
            : Random.Shared.Next();
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        var random = new Random(seed);
        for (int round = 0; round < 2000; round++)
        {
            CpuFacts cpus = Machine(random);
            CpuPlanOptions request = Request(random);
            CpuPlan plan = CpuPlan.Make(cpus, request);
            Check(cpus, request, [.. plan.Threads.Select(static thread => thread.Number)]);
            Assert.All(plan.Threads, static thread => Assert.NotEmpty(thread.Why));
            Assert.Equal(plan.Threads, CpuPlan.Make(cpus, request).Threads);
        }
    }

    [Fact]
    public void Make_LoopbackWithRoomForBoth_KeepsBothEndsApart()
    {
        var random = new Random(4711);
        for (int round = 0; round < 500; round++)
        {
            CpuFacts cpus = Machine(random);
            int receiverCount = random.Next(1, 5);
            var request = new CpuPlanOptions { ThreadCount = receiverCount, IsReceiver = true, IsLoopback = true };
            int[] receivers = [.. CpuPlan.Make(cpus, request).Threads.Select(static thread => thread.Number)];
            int room = cpus.UsableNumbers.Count - receivers.Distinct().Count();
            CpuPlan senders = CpuPlan.Make(
                cpus, request with { IsReceiver = false, ThreadCount = Math.Max(room, 1), OtherEndCpus = receivers });

            if (room > 0) Assert.Empty(senders.Threads.Select(static thread => thread.Number).Intersect(receivers));
        }
    }

    private static void Check(CpuFacts cpus, CpuPlanOptions request, int[] chosen)
    {
        int[] serving = [.. request.Interfaces.SelectMany(
            static network => network.CpuNumbers.Concat(network.SteeredCpuNumbers))];
        IReadOnlyList<int> usable = cpus.UsableNumbers;
        Assert.Equal(usable.Count == 0 ? 0 : request.ThreadCount, chosen.Length);
        Assert.Empty(chosen.Except(usable));
        for (int i = 0; i < chosen.Length; i++)
        {
            int[] free = [.. usable.Except(chosen[..i]).Except(request.OtherEndCpus)];
            if (free.Length > 0) Assert.Contains(chosen[i], free);

            if (free.Except(serving).Any()) Assert.DoesNotContain(chosen[i], serving);
        }
    }

    private static CpuFacts Machine(Random random)
    {
        int threadsPerCore = random.Next(1, 3);
        int cores = random.Next(1, 17);
        int nodes = random.Next(1, 3);
        bool knowsCaches = random.Next(4) > 0;
        return new CpuFacts
        {
            ModelName = null,
            QuotaCpus = random.Next(3) == 0 ? random.Next(1, 5) : null,
            All =
            [
                .. Enumerable.Range(0, cores * threadsPerCore).Where(_ => random.Next(10) > 0).Select(number =>
                    new CpuInfo(number, number % cores, 0, number % cores * nodes / cores, random.Next(8) > 0)
                    {
                        FirstOfCore = number % cores,
                        FirstOfCache = knowsCaches ? number % cores / 4 * 4 : null,
                        MaximumKilohertz = random.Next(2) == 0 ? null : random.Next(2_000_000, 5_000_000),
                    }),
            ],
        };
    }

    private static CpuPlanOptions Request(Random random)
    {
        List<int> Some(int most) => [.. Enumerable.Range(0, random.Next(most)).Select(_ => random.Next(34))];
        return new CpuPlanOptions
        {
            ThreadCount = random.Next(1, 40),
            IsReceiver = random.Next(2) == 0,
            OtherEndCpus = [.. Some(4).Distinct()],
            Interfaces = random.Next(5) == 0 ? [] :
            [
                new InterfaceInterrupts
                {
                    Name = "eth0",
                    Node = random.Next(3) == 0 ? null : random.Next(3),
                    Interrupts =
                    [
                        .. Some(20).Select(cpu =>
                            new InterfaceInterrupt(cpu, $"q{cpu}", (InterruptDirection)random.Next(3), [cpu])),
                    ],
                    SteeredCpuNumbers = Some(3),
                },
            ],
        };
    }
}
