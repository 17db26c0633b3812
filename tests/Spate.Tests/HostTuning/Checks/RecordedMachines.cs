using System.Text;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Reading.Interfaces;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

/// <summary>Whole machines, for all checks together.</summary>
internal static class RecordedMachines
{
    private const string Cpu = "sys/devices/system/cpu/";
    private const string Core = "proc/sys/net/core/";
    private const string Clock = "sys/devices/system/clocksource/clocksource0/";

    private static readonly byte[][] HostileContents =
    [
        [],
        "\n\n\n"u8.ToArray(),
        "\u001b[2J\u001b]0;owned\u0007\r\n\u202e$(reboot)`reboot`\n"u8.ToArray(),
        Encoding.ASCII.GetBytes(new string('9', 300_000)),
        [.. Enumerable.Range(0, 4096).Select(static i => (byte)(i * 31))],
        "-1\n"u8.ToArray(),
        "9223372036854775807 9223372036854775807\n"u8.ToArray(),
        "NaN GT/s ; rm -rf / | eth0\n"u8.ToArray(),
    ];

    /// <summary>The names of all machines, for theories.</summary>
    public static TheoryData<string> Names => ["server", "laptop", "container", "cloud", "broken", "empty"];

    /// <summary>The interfaces of a server with jumbo frames, and of hosts without.</summary>
    private static InterfaceFacts[] Jumbo => [FakeMachines.Interfaces[1] with { MtuBytes = 9000 }];

    /// <summary>Makes all checks on a machine.</summary>
    public static HostExamination Examine(string name)
    {
        using FakeHost host = name switch
        {
            "server" => Server(),
            "laptop" => Laptop(),
            "container" => Container(),
            "cloud" => Cloud(),
            "broken" => Broken(0),
            _ => new FakeHost(),
        };
        return Examine(host);
    }

    public static HostExamination Examine(FakeHost host) =>
        HostExamination.Of(RecordedReadings.Of(host, interfaces: Jumbo), isLinux: true);

    /// <summary>Two sockets, a card of 10 Gbit/s whose queues are on its node, and all limits raised.</summary>
    public static FakeHost Server()
    {
        const string Function = "sys/devices/pci0000:80/0000:81:00.0";
        FakeHost host = WithRoute(FakeMachines.TwoSocketMlx5())
            .With(Function + "/net/eth0/speed", "10000\n")
            .With(Function + "/current_link_speed", "8.0 GT/s PCIe\n")
            .With(Function + "/current_link_width", "8\n")
            .With(Function + "/max_link_speed", "8.0 GT/s PCIe\n")
            .With(Function + "/max_link_width", "8\n")
            .With(Function + "/iommu_group/type", "identity\n")
            .WithDirectory("sys/class/iommu/dmar0")
            .With("proc/self/status", "Name:\tspate\nCpus_allowed_list:\t0-63\n")
            .With("proc/1/comm", "systemd\n")
            .With(Core + "rmem_max", "67108864\n")
            .With(Core + "wmem_max", "67108864\n")
            .With(Cpu + "smt/active", "1\n")
            .With(Cpu + "vulnerabilities/spectre_v2", "Mitigation: Retpolines\n");
        for (int number = 0; number < 64; number++)
        {
            host.With(Cpu + $"cpu{number}/cpufreq/scaling_governor", "performance\n");
        }

        return WithKernel(host, "tsc", "tsc hpet acpi_pm \n");
    }

    /// <summary>Four CPUs on two cores, which save power, and the defaults of the kernel.</summary>
    public static FakeHost Laptop()
    {
        FakeHost host = FakeMachines.Cpus(WithRoute(new FakeHost()), [0, 1, 2, 3], coreCount: 2, packageCount: 1)
            .With("sys/class/net/eth0/speed", "1000\n")
            .With("proc/1/comm", "systemd\n")
            .With(Core + "rmem_max", "212992\n")
            .With(Core + "wmem_max", "212992\n")
            .With(Cpu + "smt/active", "1\n");
        for (int number = 0; number < 4; number++)
        {
            host.With(Cpu + $"cpu{number}/cpufreq/scaling_governor", "powersave\n")
                .With(Cpu + $"cpu{number}/cpufreq/scaling_available_governors", "performance powersave\n")
                .With(Cpu + $"cpu{number}/cpuidle/state1/latency", "2\n")
                .With(Cpu + $"cpu{number}/cpuidle/state2/latency", "310\n");
        }

        return WithKernel(host, "tsc", "tsc \n");
    }

    /// <summary>A container with a quota, which sees neither the card nor the limits of its host.</summary>
    public static FakeHost Container() => WithKernel(
        FakeMachines.Cpus(WithRoute(new FakeHost()), [0, 1, 2, 3], coreCount: 4, packageCount: 1)
            .With(".dockerenv", "")
            .With("sys/fs/cgroup/cpu.max", "150000 100000\n")
            .With("proc/1/comm", "spate\n"),
        "tsc",
        "tsc \n");

    /// <summary>A virtual machine of two CPUs, with the clock of its hypervisor.</summary>
    public static FakeHost Cloud() => WithKernel(
        FakeMachines.TwoCoreVirtio()
            .With("proc/1/comm", "systemd\n")
            .With("proc/731/comm", "irqbalance\n")
            .With(Core + "rmem_max", "212992\n")
            .With(Core + "wmem_max", "212992\n")
            .With(Core + "netdev_max_backlog", "1000\n")
            .WithDirectory("sys/class/iommu"),
        "kvm-clock",
        "kvm-clock tsc acpi_pm \n");

    /// <summary>The server after something has damaged each of its files in one of many ways.</summary>
    public static FakeHost Broken(int variant)
    {
        FakeHost host = Server();
        string[] files = Directory.GetFiles(host.RootPath, "*", new EnumerationOptions
        {
            RecurseSubdirectories = true,
            AttributesToSkip = FileAttributes.ReparsePoint,
        });
        Array.Sort(files, StringComparer.Ordinal);
        for (int i = 0; i < files.Length; i++)
        {
            // The default route stays, since checks of a card look at no other interface.
            if (files[i].EndsWith("/route", StringComparison.Ordinal)) continue;

            File.WriteAllBytes(files[i], HostileContents[(i + variant) % HostileContents.Length]);
        }

        return host;
    }

    public static int HostileCount => HostileContents.Length;

    private static FakeHost WithRoute(FakeHost host) => host.With(
        "proc/net/route",
        "Iface\tDestination\tGateway\tFlags\n" + "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n");

    private static FakeHost WithKernel(FakeHost host, string clock, string clocks)
    {
        FakeMachines.Busy(host, [0, 1], round: 3);
        return host
            .With("proc/sys/kernel/osrelease", "6.18.0\n")
            .With("proc/self/cgroup", "0::/\n")
            .With(Core + "netdev_max_backlog", "1000\n")
            .With(Clock + "current_clocksource", clock + "\n")
            .With(Clock + "available_clocksource", clocks);
    }
}
