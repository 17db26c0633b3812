using Spate.HostTuning.Checks;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

/// <summary>The checks that need a file or two of the host each.</summary>
public sealed class CpuFileCheckTests
{
    private const string Cpu = "sys/devices/system/cpu/";
    private const string Clock = "sys/devices/system/clocksource/clocksource0/";

    [Theory]
    [InlineData("performance", "performance", CheckStatus.Ok, 0)]
    [InlineData("performance", "powersave", CheckStatus.Advice, 1)]
    [InlineData("schedutil", "ondemand", CheckStatus.Advice, 2)]
    [InlineData("perform\u001b[2J", "a-name-that-is-far-too-long", CheckStatus.Unknown, 0)]
    internal void Governor_OfTwoCpus_IsPerformanceOrToBeSet(
        string first, string second, CheckStatus expected, int changeCount)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With(Cpu + "cpu0/cpufreq/scaling_governor", first + "\n")
            .With(Cpu + "cpu0/cpufreq/scaling_available_governors", "performance powersave \n")
            .With(Cpu + "cpu1/cpufreq/scaling_governor", second + "\n")
            .With(Cpu + "cpu1/cpufreq/scaling_available_governors", "performance powersave \n");

        CheckFinding finding = Only(host, "governor");

        Assert.Equal((expected, changeCount), (finding.Status, finding.Changes.Count));
        Assert.All(finding.Changes, static change => Assert.Equal("performance", change.To));
    }

    [Fact]
    public void Governor_PerformanceNotOffered_IsAdviceWithoutACommand()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With(Cpu + "cpu0/cpufreq/scaling_governor", "powersave\n")
            .With(Cpu + "cpu0/cpufreq/scaling_available_governors", "powersave\n");

        CheckFinding finding = Only(host, "governor");

        Assert.Equal((CheckStatus.Advice, null), (finding.Status, finding.Command));
    }

    [Theory]
    [InlineData(HostProfile.Latency, 133, 0, CheckStatus.Advice)]
    [InlineData(HostProfile.Latency, 133, 1, CheckStatus.Ok)]
    [InlineData(HostProfile.TenGigabit, 133, 0, CheckStatus.Ok)]
    internal void IdleStates_DeepOne_MattersForLatency(
        HostProfile profile, int latency, int disabled, CheckStatus expected)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With(Cpu + "cpu0/cpuidle/state0/latency", "0\n")
            .With(Cpu + "cpu0/cpuidle/state1/latency", "2\n")
            .With(Cpu + "cpu0/cpuidle/state2/latency", $"{latency}\n")
            .With(Cpu + "cpu0/cpuidle/state2/disable", $"{disabled}\n");

        Assert.Equal(expected, Only(host, "idle-states", profile).Status);
    }

    [Fact]
    public void IdleStates_SomeDeepOnes_OnlyThoseThatAreOnAreTurnedOffAndOnAgain()
    {
        const string states = "/sys/devices/system/cpu/cpu*/cpuidle/state[24]/disable";
        using FakeHost host = FakeMachines.TwoCoreVirtio();
        string[] latencies = ["0", "10", "11", "200", "300"];
        for (int i = 0; i < latencies.Length; i++)
        {
            host.With(Cpu + $"cpu0/cpuidle/state{i}/latency", latencies[i] + "\n")
                .With(Cpu + $"cpu0/cpuidle/state{i}/disable", i == 3 ? "1\n" : "0\n");
        }

        CheckFinding finding = Only(host, "idle-states", HostProfile.Latency);

        Assert.Equal($"for f in {states}; do echo 1 > $f; done", finding.Command);
        Assert.Equal($"for f in {states}; do echo 0 > $f; done", finding.Undo);
    }

    [Theory]
    [InlineData("1", HostProfile.HundredGigabit, CheckStatus.Advice)]
    [InlineData("1", HostProfile.TenGigabit, CheckStatus.Ok)]
    [InlineData("0", HostProfile.HundredGigabit, CheckStatus.Ok)]
    [InlineData("2", HostProfile.HundredGigabit, CheckStatus.Unknown)]
    internal void Smt_Active_CostsOneFlow(string active, HostProfile profile, CheckStatus expected)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio().With(Cpu + "smt/active", active + "\n");

        Assert.Equal(expected, Only(host, "smt", profile).Status);
    }

    [Theory]
    [InlineData("tsc", "tsc hpet acpi_pm \n", CheckStatus.Ok, null)]
    [InlineData("kvm-clock", "kvm-clock tsc \n", CheckStatus.Ok, null)]
    [InlineData("arch_sys_counter", "arch_sys_counter \n", CheckStatus.Ok, null)]
    [InlineData("hyperv_clocksource_tsc_page", "hyperv_clocksource_tsc_page \n", CheckStatus.Ok, null)]
    [InlineData("hpet", "tsc hpet acpi_pm \n", CheckStatus.Advice, "echo tsc > /" + Clock + "current_clocksource")]
    [InlineData("acpi_pm", "hpet acpi_pm \n", CheckStatus.Advice, null)]
    [InlineData("sundial", "sundial\n", CheckStatus.Unknown, null)]
    internal void ClockSource_OtherThanTheProcessors_IsSlow(
        string current, string available, CheckStatus expected, string? command)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With(Clock + "current_clocksource", current + "\n")
            .With(Clock + "available_clocksource", available);

        CheckFinding finding = Only(host, "clock-source");

        Assert.Equal((expected, command), (finding.Status, finding.Command));
        Assert.Equal(command is null, finding.Undo is null);
    }

    [Fact]
    public void Mitigations_AreNamedAndOk()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With(Cpu + "vulnerabilities/spectre_v2", "Mitigation: Retpolines\n")
            .With(Cpu + "vulnerabilities/meltdown", "Not affected\n")
            .With(Cpu + "vulnerabilities/mds", "Mitigation: Clear CPU buffers; SMT vulnerable\n");

        CheckFinding finding = Only(host, "mitigations");

        Assert.Equal((CheckStatus.Ok, "on for mds, spectre_v2"), (finding.Status, finding.Found));
    }

    [Theory]
    [InlineData(HostProfile.OneGigabit, CheckStatus.Ok)]
    [InlineData(HostProfile.TenGigabit, CheckStatus.Advice)]
    [InlineData(HostProfile.Latency, CheckStatus.Advice)]
    internal void IrqBalance_Running_MayMoveInterrupts(HostProfile profile, CheckStatus expected)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With("proc/1/comm", "systemd\n")
            .With("proc/731/comm", "irqbalance\n");

        Assert.Equal(expected, Only(host, "irqbalance", profile).Status);
    }

    [Fact]
    public void IrqBalance_NotSeen_IsOkOnlyWhereAllProcessesAreShown()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio().With("proc/1/comm", "systemd\n");
        using FakeHost hidden = FakeMachines.TwoCoreVirtio().With("proc/731/comm", "bash\n");
        using FakeHost container = FakeMachines.TwoCoreVirtio().With("proc/1/comm", "sh\n").With(".dockerenv", "");

        Assert.Equal(CheckStatus.Ok, Only(host, "irqbalance").Status);
        Assert.Equal(CheckStatus.Unknown, Only(hidden, "irqbalance").Status);
        Assert.Equal(CheckStatus.Unknown, Only(container, "irqbalance").Status);
    }

    [Theory]
    [InlineData("67108864", "212992")]
    [InlineData("212992", "67108864")]
    public void Container_OneLimitBelowTheNeed_IsAdvice(string receive, string send)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With("proc/sys/kernel/osrelease", "6.18.0\n")
            .With("proc/self/mounts", "proc /proc/sys proc ro 0 0\n")
            .With("proc/sys/net/core/rmem_max", receive)
            .With("proc/sys/net/core/wmem_max", send);

        Assert.Equal(CheckStatus.Advice, Only(host, "container", HostProfile.TenGigabit).Status);
    }

    [Theory]
    [InlineData("67108864", false, CheckStatus.Ok)]
    [InlineData("212992", false, CheckStatus.Advice)]
    [InlineData(null, false, CheckStatus.Advice)]
    [InlineData("212992", true, CheckStatus.Ok)]
    internal void Container_LimitsBelowTheNeedThatCannotBeSet_AreTheHosts(
        string? limit, bool canSet, CheckStatus expected)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With("proc/sys/kernel/osrelease", "6.18.0\n")
            .With("run/systemd/container", "docker\u001b[2J\n")
            .With("proc/self/mounts", $"proc /proc/sys proc {(canSet ? "rw" : "ro")},nosuid,nodev 0 0\n");
        if (limit is not null) host.With("proc/sys/net/core/rmem_max", limit).With("proc/sys/net/core/wmem_max", limit);

        CheckFinding finding = Only(host, "container", HostProfile.TenGigabit);

        Assert.Equal((expected, @"docker\x1b[2J"), (finding.Status, finding.Found));
    }

    [Fact]
    public void Container_FileThatNobodyMayWrite_IsANamespaceOfItsOwn()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no file modes");
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With("proc/sys/kernel/osrelease", "6.18.0\n")
            .With("proc/sys/net/core/rmem_max", "212992\n");
        string limit = Path.Combine(host.RootPath, "proc/sys/net/core/rmem_max");
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(limit, UnixFileMode.UserRead);

        CheckFinding finding = Only(host, "container");

        Assert.Equal((CheckStatus.Advice, "a network namespace of its own"), (finding.Status, finding.Found));
    }

    private static CheckFinding Only(FakeHost host, string check, HostProfile? profile = null) =>
        Assert.Single(RecordedReadings.Of(host, profile).Examine(check));
}
