using System.Text.Json;
using Spate.Cli.Plan;
using Spate.Measurement.Reports;

namespace Spate.Tests.Cli.Plan;

public sealed class CapacityPlanTests
{
    private static readonly MeasuredCapacity Machine = new(
        "bench, spate-mmsg", SizeBytes: 200, CapacityPerSecond: 100_000, MeasuredPerSecond: 100_000, LostPercent: 0,
        CpuNanosecondsPerDatagram: 1000, Threads: 1, Cpus: 2);

    [Fact]
    public void Make_45MillionADay_Is521ASecondAndOneSmallMachine()
    {
        PlanReport plan = CapacityPlan.Make(
            new PlanOptions { PerDay = 45_000_000, PeakPerSecond = 1000, CostPerMonth = 15.73 }, Machine);

        Assert.Equal(521, Math.Round(plan.AveragePerSecond));
        Assert.Equal(1000, plan.PeakPerSecond);
        Assert.Equal((1.0, 2.0), (plan.Machines, plan.MachinesWithSpare));
        Assert.Equal(100, plan.HeadRoom);
        Assert.Equal(0.1, plan.PeakCpuPercent!.Value, precision: 9);
        Assert.Equal(45e6 / 86_400 / 1e4, plan.AverageCpuPercent!.Value, precision: 9);
        Assert.Equal(1_600_000, plan.PeakBitsPerSecond);

        // 200 ms at 1000/s, charged 2304 bytes each, of which the kernel grants twice what is asked.
        Assert.Equal(200, plan.StallDatagrams);
        Assert.Equal(200 * 2304 / 2, plan.BufferBytes);
        Assert.Equal(31.46, plan.CostPerMonth!.Value, precision: 9);
        Assert.Equal(31.46 / (45 * 365.25 / 12), plan.CostPerMillion!.Value, precision: 9);
    }

    [Fact]
    public void Make_NoPeak_TakesTwiceTheAverageAndSaysSo()
    {
        PlanReport plan = CapacityPlan.Make(new PlanOptions { PerDay = 86_400_000 }, Machine);

        Assert.Equal(2000, plan.PeakPerSecond);
        Assert.Contains(
            "the busiest second has 2 times the average of 1,000: --peak", plan.Assumptions, StringComparer.Ordinal);
        Assert.Null(plan.CostPerMillion);
    }

    [Theory]
    [InlineData(50_000, 50, 1)]
    [InlineData(50_001, 50, 2)]
    [InlineData(100_000, 100, 1)]
    [InlineData(1_000_000, 50, 20)]
    public void Make_Peak_IsSharedByMachinesUpToTheirLimit(int peak, double maxLoad, int machines)
    {
        PlanReport plan = CapacityPlan.Make(
            new PlanOptions
            {
                PerDay = 1,
                PeakPerSecond = peak,
                MaxLoadPercent = maxLoad,
                Stall = TimeSpan.FromSeconds(1),
            },
            Machine);

        Assert.Equal(machines, plan.Machines);
        Assert.Equal(machines + 1, plan.MachinesWithSpare);
        Assert.Equal(Math.Ceiling((double)peak / machines), plan.StallDatagrams);
    }

    [Fact]
    public void Make_BufferThatNoSocketCanHave_SaysSo()
    {
        PlanReport plan = CapacityPlan.Make(
            new PlanOptions { PerDay = 1_000_000_000_000, Stall = TimeSpan.FromHours(1) }, Machine);

        Assert.Contains(
            plan.Assumptions, static line => line.StartsWith("no socket can have", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(8, 2304)]
    [InlineData(200, 2304)]
    [InlineData(640, 2304)]
    [InlineData(1380, (2 * 1380) + 1024)]
    public void Make_Size_IsChargedAsTheKernelDoes(int sizeBytes, int charge)
    {
        PlanReport plan = CapacityPlan.Make(
            new PlanOptions
            {
                PerDay = 1,
                PeakPerSecond = 1000,
                SizeBytes = sizeBytes,
                Stall = TimeSpan.FromSeconds(0.2),
            },
            Machine);

        Assert.Equal((charge, 100.0 * charge), (plan.ChargedBytesPerDatagram, plan.BufferBytes));
    }

    [Fact]
    public void Make_CpuTimeThatIsNoMeasure_LeavesTheShareOpen()
    {
        PlanReport plan = CapacityPlan.Make(
            new PlanOptions { PerDay = 1 },
            Machine with { CpuNanosecondsPerDatagram = null, Assumptions = ["the threads spin"] });

        Assert.Null(plan.AverageCpuPercent);
        Assert.Null(plan.PeakCpuPercent);
        Assert.Contains("the threads spin", plan.Assumptions, StringComparer.Ordinal);
    }

    [Fact]
    public void Serialize_CoalescedBasis_HasTheKeyOfTheFormat()
    {
        PlanReport plan = CapacityPlan.Make(new PlanOptions { PerDay = 1 }, Machine with { IsCoalesced = true });

        using JsonDocument json = JsonDocument.Parse(ReportJson.Serialize(plan));

        Assert.True(json.RootElement.GetProperty("basis").GetProperty("isOfTrains").GetBoolean());
    }

    [Fact]
    public void Make_MeasuredGsoMessages_AreTheAssumption()
    {
        PlanReport plan = CapacityPlan.Make(
            new PlanOptions { PerDay = 1 }, Machine with { IsCoalesced = true, DatagramsPerCall = 335.96 });

        Assert.Contains(plan.Assumptions, static line => line.StartsWith(
            "datagrams arrive coalesced, as they may have in the measurement (gro, 336.0 datagrams per call): "
                + "uncoalesced",
            StringComparison.Ordinal));
        Assert.DoesNotContain(plan.Assumptions, static line => line.Contains("one by one", StringComparison.Ordinal));

        plan = CapacityPlan.Make(new PlanOptions { PerDay = 1 }, Machine with { DatagramsPerCall = 13.9 });

        Assert.Contains(
            "datagrams arrive uncoalesced, from many clients; a call returns 13.9 of them, as measured, and fewer at a "
                + "low load, at a higher cost each; coalesced datagrams of one sender cost less",
            plan.Assumptions,
            StringComparer.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Make_InterruptedMeasurement_IsAFieldOfThePlan(bool isInterrupted) => Assert.Equal(
        isInterrupted,
        CapacityPlan.Make(new PlanOptions { PerDay = 1 }, Machine with { Interrupted = isInterrupted }).Interrupted);

    [Fact]
    public void Make_WhatIsAssumed_IsSaid()
    {
        PlanReport plan = CapacityPlan.Make(
            new PlanOptions { PerDay = 45_000_000, SizeBytes = 100, CostPerMonth = 1, PeakPerSecond = 2000 },
            Machine with { LostPercent = 2.5 });

        foreach (string start in (string[])
        [
            "a machine gets at most 50 % of its capacity",
            "datagrams arrive uncoalesced, from many clients",
            "the load spreads evenly over the machines",
            "Linux charges a buffer 2,304 bytes for a datagram of 100 bytes",
            "datagrams of 200 bytes were measured: 100 bytes cost the same",
            "the measurement lost 2.5 % at its rate",
            "a month has 30.44 days",
            "net.core.rmem_max, usually 212,992, is 460800 or more",
        ])
        {
            Assert.Contains(plan.Assumptions, line => line.StartsWith(start, StringComparison.Ordinal));
        }
    }

    [Theory]
    [InlineData(null, 2000, "net.core.rmem_max, usually 212,992, is 460800 or more, or the program has CAP_NET_ADMIN")]
    [InlineData(4_194_304L, 2000, "net.core.rmem_max is 460800 or more, as on this host (4,194,304), or the program")]
    [InlineData(212_992L, 2000, "net.core.rmem_max is raised to 460800 (on this host it is 212,992), or the program")]
    [InlineData(100_000L, 600, "net.core.rmem_max is raised to 138240 (on this host it is 100,000), or the program")]
    [InlineData(4_194_304L, 600, null)]
    [InlineData(null, 600, null)]
    public void Make_LimitOfThisHost_IsComparedWithTheBuffer(long? limit, double peak, string? expected)
    {
        PlanReport plan = CapacityPlan.Make(
            new PlanOptions { PerDay = 1000, PeakPerSecond = peak, ReceiveMaximumBytes = limit }, Machine);

        string? line = plan.Assumptions.SingleOrDefault(
            one => one.Contains("rmem_max", StringComparison.Ordinal));
        Assert.StartsWith(expected ?? "none", line ?? "none", StringComparison.Ordinal);
    }
}
