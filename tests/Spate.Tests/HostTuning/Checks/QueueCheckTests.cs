using Spate.HostTuning.Checks;
using Spate.HostTuning.Counters;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

/// <summary>The checks of budgets and queueing disciplines against recorded hosts.</summary>
public sealed class QueueCheckTests
{
    private const string Length = "sys/class/net/eth0/tx_queue_len";

    [Theory]
    [InlineData("1000", 0, CheckStatus.Ok, null)]
    [InlineData("1000", 1, CheckStatus.Problem, "sysctl -w net.core.netdev_max_backlog=2000")]
    [InlineData("300", 1, CheckStatus.Problem, "sysctl -w net.core.netdev_max_backlog=1000")]
    [InlineData("600000", 1, CheckStatus.Problem, "sysctl -w net.core.netdev_max_backlog=1000000")]
    [InlineData("1000000", 1, CheckStatus.Problem, null)]
    [InlineData("9223372036854775807", 1, CheckStatus.Problem, null)]
    [InlineData("nonsense", 0, CheckStatus.Unknown, null)]
    [InlineData("", 1, CheckStatus.Problem, null)]
    internal void Backlog_Full_IsDoubledWithinBounds(string packets, long dropped, CheckStatus status, string? command)
    {
        using var host = new RecordedInterface { Softnet = new SoftnetCounters { Dropped = dropped } };
        host.Host.With("proc/sys/net/core/netdev_max_backlog", packets);

        CheckFinding finding = host.Examine("netdev-max-backlog")!;

        Assert.Equal((status, dropped, command), (finding.Status, finding.Growth, finding.Command));
    }

    [Theory]
    [InlineData("300", "8000", 0, CheckStatus.Ok, null, null)]
    [InlineData("300", "8000", 7, CheckStatus.Problem,
        "sysctl -w net.core.netdev_budget=600 && sysctl -w net.core.netdev_budget_usecs=16000",
        "sysctl -w net.core.netdev_budget_usecs=8000 && sysctl -w net.core.netdev_budget=300")]
    [InlineData("5000", "16000", 7, CheckStatus.Problem,
        "sysctl -w net.core.netdev_budget_usecs=20000", "sysctl -w net.core.netdev_budget_usecs=16000")]
    [InlineData("5000", "90000", 7, CheckStatus.Problem, null, null)]
    [InlineData("-5", "nonsense", 0, CheckStatus.Unknown, null, null)]
    [InlineData("99999999999", "1", 0, CheckStatus.Unknown, null, null)]
    internal void Budget_UsedUp_IsDoubledWithinBounds(
        string packets, string microseconds, long squeezed, CheckStatus status, string? command, string? undo)
    {
        using var host = new RecordedInterface { Softnet = new SoftnetCounters { Squeezed = squeezed } };
        host.Host.With("proc/sys/net/core/netdev_budget", packets + "\n")
            .With("proc/sys/net/core/netdev_budget_usecs", microseconds + "\n");

        CheckFinding finding = host.Examine("netdev-budget")!;

        Assert.Equal((status, squeezed), (finding.Status, finding.Growth));
        Assert.Equal((command, undo), (finding.Command, finding.Undo));
    }

    [Theory]
    [InlineData(0, CheckStatus.Unknown)]
    [InlineData(3, CheckStatus.Problem)]
    internal void Budget_NotShownInAContainer_IsUnknownUnlessItWasUsedUp(long squeezed, CheckStatus status)
    {
        using var host = new RecordedInterface { Softnet = new SoftnetCounters { Squeezed = squeezed } };

        CheckFinding finding = host.Examine("netdev-budget")!;

        Assert.Equal(status, finding.Status);
        Assert.Null(finding.Command);
    }

    [Theory]
    [InlineData("pfifo_fast", 1000, "echo 10000 > /sys/class/net/eth0/tx_queue_len")]
    [InlineData("pfifo_fast", 60_000, "echo 100000 > /sys/class/net/eth0/tx_queue_len")]
    [InlineData("pfifo_fast", 100_000, null)]
    [InlineData("fq_codel", 1000, null)]
    [InlineData("tbf", 1000, null)]
    public void QueueDrops_Grew_IsAProblemWithALongerQueueWhereItHasOne(string kind, int length, string? command)
    {
        using RecordedInterface host = new RecordedInterface().WithRoot(kind);
        host.Host.With(Length, $"{length}\n");
        CheckFinding before = host.Examine("qdisc-drops", HostProfile.OneGigabit)!;
        host.Root = host.Root! with { Drops = 12 };

        CheckFinding finding = host.Examine("qdisc-drops", HostProfile.OneGigabit)!;

        Assert.Equal(CheckStatus.Ok, before.Status);
        Assert.Equal((CheckStatus.Problem, 12L, "eth0"), (finding.Status, finding.Growth, finding.Interface));
        Assert.Equal(command, finding.Command);
    }

    [Fact]
    public void QueueDrops_OfAnotherInterfaceOrBelowTheRoot_AreNotItsOwn()
    {
        using RecordedInterface host = new RecordedInterface().WithRoot("fq");
        HostReadings readings = host.Read(HostProfile.OneGigabit);
        QueueCounters[] queues =
        [
            new QueueCounters("eth0", "fq", "2:", "1:1") { Drops = 9 },
            new QueueCounters("eth1", "fq", "1:", "root") { Drops = 9 },
            host.Root!,
        ];

        CheckFinding finding = Assert.Single(
            (readings with { Growth = readings.Growth with { Queues = queues } }).Examine("qdisc-drops"));

        Assert.Equal(CheckStatus.Ok, finding.Status);
    }

    [Theory]
    [InlineData("pfifo_fast", HostProfile.TenGigabit, "1000", CheckStatus.Advice)]
    [InlineData("pfifo_fast", HostProfile.OneGigabit, "1000", CheckStatus.Ok)]
    [InlineData("pfifo_fast", HostProfile.TenGigabit, "10000", CheckStatus.Ok)]
    [InlineData("fq", HostProfile.TenGigabit, "1000", CheckStatus.Ok)]
    internal void QueueLength_BelowTheNeed_IsAdviceWhereTheDisciplineHeedsIt(
        string kind, HostProfile profile, string length, CheckStatus status)
    {
        using RecordedInterface host = new RecordedInterface().WithRoot(kind);
        host.Host.With(Length, length + "\n");

        CheckFinding finding = host.Examine("tx-queue-len", profile)!;

        Assert.Equal((status, status == CheckStatus.Advice), (finding.Status, finding.IsBelowNeed));
    }

    [Theory]
    [InlineData("")]
    [InlineData("-1")]
    [InlineData("99999999999")]
    [InlineData("\u001b[2J")]
    public void QueueLength_OfNoSense_IsLeftOut(string length)
    {
        using RecordedInterface host = new RecordedInterface().WithRoot("pfifo_fast");
        host.Host.With(Length, length);

        Assert.Null(host.Examine("tx-queue-len"));
    }

    [Fact]
    public void DefaultQueue_KernelHasFq_IsAdviceForFastLinksOnly()
    {
        using RecordedInterface host = WithModules("kernel/net/sched/sch_fq.ko.zst:\n").WithRoot("fq_codel");

        CheckFinding finding = host.Examine("default-qdisc")!;

        Assert.Equal(
            "tc qdisc replace dev eth0 root fq && sysctl -w net.core.default_qdisc=fq", finding.Command);
        Assert.Equal(
            "sysctl -w net.core.default_qdisc=fq_codel && tc qdisc del dev eth0 root", finding.Undo);
        Assert.Equal(CheckStatus.Ok, host.Examine("default-qdisc", HostProfile.OneGigabit)!.Status);
    }

    [Theory]
    [InlineData("pfifo_fast", 0u)]
    [InlineData("fq_codel", 0x8001u)]
    [InlineData("tbf", 7u)]
    public void DefaultQueue_RootThatCouldNotBeRestored_IsLeftAlone(string kind, uint handle)
    {
        using RecordedInterface host = WithModules("kernel/net/sched/sch_fq.ko:\n").WithRoot(kind, handle);

        Assert.Equal("sysctl -w net.core.default_qdisc=fq", host.Examine("default-qdisc")!.Command);
    }

    [Theory]
    [InlineData("abcdefghijklmno", CheckStatus.Advice)]
    [InlineData("abcdefghijklmnop", CheckStatus.Unknown)]
    [InlineData("a b", CheckStatus.Unknown)]
    internal void DefaultQueue_NameThatNoneHas_IsUnknown(string kind, CheckStatus status)
    {
        using RecordedInterface host = WithModules("kernel/net/sched/sch_fq.ko:\n");
        host.Host.With("proc/sys/net/core/default_qdisc", kind);

        Assert.Equal(status, host.Examine("default-qdisc")!.Status);
    }

    [Fact]
    public void DefaultQueue_WhetherTheKernelHasFq_IsSaidAsFarAsItCanBeTold()
    {
        using RecordedInterface without = WithModules("kernel/net/sched/sch_a.ko: kernel/net/sched/sch_fq.ko\n");
        using var silent = new RecordedInterface();
        silent.Host.With("proc/sys/net/core/default_qdisc", "fq_codel\n");
        using var container = new RecordedInterface();

        Assert.Equal(CheckStatus.Ok, without.Examine("default-qdisc")!.Status);
        Assert.Equal(CheckStatus.Unknown, silent.Examine("default-qdisc")!.Status);
        Assert.Equal(CheckStatus.Unknown, container.Examine("default-qdisc")!.Status);
    }

    private static RecordedInterface WithModules(string modules)
    {
        var host = new RecordedInterface();
        host.Host.With("proc/sys/net/core/default_qdisc", "fq_codel\n")
            .With("proc/sys/kernel/osrelease", "6.1.0\n")
            .With("lib/modules/6.1.0/modules.dep", modules);
        return host;
    }
}
