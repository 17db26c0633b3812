using System.Diagnostics;
using Spate.HostTuning.Settings;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Settings;

public sealed class HostChangesTests
{
    [Fact]
    public void Command_FilesThatDifferInANumber_IsOneLoopForEachValue()
    {
        HostChange[] changes = [.. ((int[])[0, 1, 2, 3, 6, 7, 10]).Select(cpu => new HostChange(
            new FileSetting($"sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"),
            cpu == 10 ? "schedutil" : "powersave",
            "performance"))];

        Assert.Equal(
            "for n in $(seq 0 3) 6 7 10; do echo performance > "
                + "/sys/devices/system/cpu/cpu$n/cpufreq/scaling_governor; done",
            HostChanges.Command(changes));
        Assert.Equal(
            "echo schedutil > /sys/devices/system/cpu/cpu10/cpufreq/scaling_governor && for n in $(seq 0 3) 6 7; "
                + "do echo powersave > /sys/devices/system/cpu/cpu$n/cpufreq/scaling_governor; done",
            HostChanges.Undo(changes));
    }

    [Fact]
    public void Command_SettingsOfSeveralKinds_AreOneAfterAnother()
    {
        HostChange[] changes =
        [
            new(new SysctlSetting("net.ipv4.udp_mem"), "1 2 3", "4 5 6"),
            new(new SysctlSetting("net.ipv6.flowlabel_consistency"), "0", "4 5 6"),
            new(new FileSetting("proc/irq/7/smp_affinity_list"), "0-3", "1"),
            new(new FileSetting("proc/irq/07/smp_affinity_list"), "0-3", "1"),
        ];

        Assert.Equal(
            "sysctl -w net.ipv4.udp_mem='4 5 6' && sysctl -w net.ipv6.flowlabel_consistency='4 5 6' && "
                + "echo 1 > /proc/irq/7/smp_affinity_list && echo 1 > /proc/irq/07/smp_affinity_list",
            HostChanges.Command(changes));
    }

    [Fact]
    public async Task Command_OfManyFiles_WritesWhatTheChangesSay()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "a POSIX shell is needed");
        using var host = new FakeHost();
        HostChange[] changes = [.. Enumerable.Range(0, 12).Select(number => new HostChange(
            new FileSetting($"irq/{number}/list"), $"{number / 5}", $"{number % 2}"))];
        foreach (HostChange change in changes) host.With(((FileSetting)change.Setting).Path, $"{change.From}\n");

        await RunAsync(HostChanges.Command(changes), host.RootPath);
        Assert.All(changes, change => Assert.Equal(change.To, change.Setting.Read(host.RootPath)));
        await RunAsync(HostChanges.Undo(changes), host.RootPath);
        Assert.All(changes, change => Assert.Equal(change.From, change.Setting.Read(host.RootPath)));
    }

    // The files stand below the recorded host instead of the root.
    private static async Task RunAsync(string command, string rootPath)
    {
        string below = command.Replace("> /", $"> {rootPath}/", StringComparison.Ordinal);
        using Process shell = Process.Start("sh", ["-ec", below]);
        await shell.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, shell.ExitCode);
    }
}
