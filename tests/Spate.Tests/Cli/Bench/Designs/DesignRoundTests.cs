using Spate.Cli.Bench.Designs;
using Spate.Serving;

namespace Spate.Tests.Cli.Bench.Designs;

[QuietHost("servers and a generator load the CPUs, and losses are counted")]
public sealed class DesignRoundTests
{
    private static readonly DesignTarget OneByOne = DesignTarget.All[0];

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Measure_EveryDesign_AccountsForEveryDatagram()
    {
        var options = new DesignOptions { SizeBytes = 100 };
        foreach (DesignTarget target in DesignTarget.All.Where(static target => target.UnavailableReason is null))
        {
            var round = new DesignRound(options, target, threadCount: 3, workRounds: 3, Cancellation);
            DesignMeasurement measurement = round.Measure(600, TimeSpan.FromSeconds(30), generatorCpu: null);

            AssertAccounted(target, measurement, sent: 600);
            Assert.Equal(3, measurement.Threads.Count(thread => !thread.IsReceiver));
            Assert.Equal(target.Name is "ring" or "reader-workers", measurement.Threads[0].IsReceiver);
            Assert.All(measurement.Threads, AssertConsistent);
        }
    }

    [Fact]
    public void Measure_OneByOne_BringsOnePerCall()
    {
        var round = new DesignRound(new DesignOptions(), OneByOne, threadCount: 2, workRounds: 0, Cancellation);

        DesignMeasurement measurement = round.Measure(600, TimeSpan.FromSeconds(30), generatorCpu: null);

        Assert.Equal(1, measurement.Threads.Max(thread => thread.MostPerCall));
        Assert.Equal(
            measurement.Threads.Sum(thread => thread.Calls), measurement.Threads.Sum(thread => thread.Datagrams));
    }

    [Fact]
    public void Measure_OneDatagram_IsHandled()
    {
        var round = new DesignRound(new DesignOptions(), OneByOne, threadCount: 1, workRounds: 0, Cancellation);

        Assert.Equal(1, round.Measure(1, TimeSpan.FromSeconds(30), generatorCpu: null).Handled);
    }

    [Fact]
    public void Measure_MostFlows_UsesEachOfThem()
    {
        var options = new DesignOptions { FlowCount = DesignOptions.MaxFlowCount, SizeBytes = 100 };
        var round = new DesignRound(options, OneByOne, threadCount: 1, workRounds: 0, Cancellation);

        AssertAccounted(OneByOne, round.Measure(1024, TimeSpan.FromSeconds(30), generatorCpu: null), sent: 1024);
    }

    [Fact]
    public void Measure_NoTimeToSend_EndsWithTheDatagramsThereAre()
    {
        var round = new DesignRound(new DesignOptions(), OneByOne, threadCount: 1, workRounds: 0, Cancellation);

        DesignMeasurement measurement = round.Measure(
            DesignOptions.MaxCount, TimeSpan.FromMilliseconds(10), generatorCpu: null);

        Assert.InRange(measurement.Sent + measurement.Refused, 1, DesignOptions.MaxCount - 1);
    }

    [Fact]
    public void Measure_BufferTooSmallForTheWork_NamesEveryLoss()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the kernel's drops are counted on Linux only");
        var options = new DesignOptions { BufferBytes = 4096 };

        DesignTarget target = DesignTarget.All.First(static target => target.Design.Kind == UdpComparisonDesigns.Drain);
        var round = new DesignRound(options, target, threadCount: 1, workRounds: 20_000, Cancellation);
        DesignMeasurement measurement = round.Measure(4000, TimeSpan.FromSeconds(30), generatorCpu: null);

        Assert.InRange(measurement.Handled, 1, measurement.Sent - 1);
        AssertAccounted(target, measurement, sent: 4000);
    }

    // The queues before the sockets belong to the whole system, so other programs may have lost datagrams there.
    private static void AssertAccounted(DesignTarget target, DesignMeasurement round, long sent)
    {
        Assert.Equal(sent, round.Sent + round.Refused);
        long missing = round.Sent - round.Handled;
        if (!target.IsCoalesced && round.KernelDrops is long dropped)
        {
            Assert.InRange(missing - dropped, 0, round.BacklogDrops ?? 0);
        }
        else if (round.KernelDrops == 0 && round.BacklogDrops == 0)
        {
            Assert.Equal(0, missing);
        }
    }

    private static void AssertConsistent(DesignThreadRow thread)
    {
        Assert.InRange(thread.Calls, 0, thread.Datagrams);
        Assert.Equal(thread.Calls == 0 ? 0 : (double)thread.Datagrams / thread.Calls, thread.MeanPerCall);
        Assert.InRange(thread.LeastPerCall, 0, thread.MostPerCall);
        Assert.Equal(thread.Datagrams > 0, thread.MostPerCall > 0);
        if (OperatingSystem.IsLinux())
        {
            Assert.True(thread.CpuNanoseconds >= 0);
            Assert.True(thread.VoluntarySwitches >= 0);
            Assert.True(thread.InvoluntarySwitches >= 0);
        }
    }
}
