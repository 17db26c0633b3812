using System.Net;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.TestHelpers.Hosts;

/// <summary>The file trees of machines that the tests have in common, as their kernels show them.</summary>
internal static class FakeMachines
{
    public static IReadOnlyList<InterfaceFacts> Interfaces { get; } =
    [
        new("lo", IsUp: true, IsLoopback: true, 65536, [IPAddress.Loopback, IPAddress.IPv6Loopback]),
        new("eth0", IsUp: true, IsLoopback: false, 1500, [IPAddress.Parse("192.0.2.2")]),
        new("eth1", IsUp: true, IsLoopback: false, 1500, [IPAddress.Parse("198.51.100.2")]),
    ];

    /// <summary>A virtual machine: two cores, one cache, virtio arrivals on CPU 1 and completions on CPU 0.</summary>
    public static FakeHost TwoCoreVirtio()
    {
        const string Function = "sys/devices/pci0000:00/0000:00:03.0";
        FakeHost host = Cpus(new FakeHost(), [0, 1], coreCount: 2, packageCount: 1)
            .WithLink("sys/class/net/eth0", "../../devices/pci0000:00/0000:00:03.0/virtio2/net/eth0")
            .WithLink($"{Function}/virtio2/net/eth0/device", "../../../virtio2")
            .With($"{Function}/numa_node", "-1\n")
            .With($"{Function}/virtio2/net/eth0/queues/rx-0/rps_cpus", "0\n")
            .With("proc/net/route", "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
                + "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
                + "eth1\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n");
        (string Name, int Cpu)[] vectors = [("virtio2-config", 0), ("virtio2-input.0", 1), ("virtio2-output.0", 0)];
        for (int i = 0; i < vectors.Length; i++)
        {
            host.With($"{Function}/msi_irqs/{37 + i}", "msix\n");
            Interrupt(host, 37 + i, vectors[i].Name, $"{vectors[i].Cpu}");
        }

        return host;
    }

    /// <summary>
    /// Two packages of 16 cores with two threads each (CPU n and n + 32), a node and a cache a package, and a card on
    /// node 1 whose 16 queues are handled by CPUs 16 to 16 + <paramref name="cpuCount"/> - 1.
    /// </summary>
    public static FakeHost TwoSocketMlx5(int cpuCount = 16)
    {
        const string Function = "sys/devices/pci0000:80/0000:81:00.0";
        FakeHost host = Cpus(new FakeHost(), [.. Enumerable.Range(0, 64)], coreCount: 32, packageCount: 2)
            .WithLink("sys/class/net/eth0", "../../devices/pci0000:80/0000:81:00.0/net/eth0")
            .WithLink($"{Function}/net/eth0/device", "../../../0000:81:00.0")
            .With($"{Function}/numa_node", "1\n");
        host.With($"{Function}/msi_irqs/100", "msix\n");
        Interrupt(host, 100, "mlx5_async0@pci:0000:81:00.0", "0");
        for (int queue = 0; queue < 16; queue++)
        {
            host.With($"{Function}/msi_irqs/{101 + queue}", "msix\n");
            Interrupt(host, 101 + queue, $"mlx5_comp{queue}@pci:0000:81:00.0", $"{16 + queue % cpuCount}");
        }

        return host;
    }

    /// <summary>A machine whose CPUs have worked for some rounds; see the other overload.</summary>
    public static FakeHost Busy(int[] numbers, int round) => Busy(new FakeHost(), numbers, round);

    /// <summary>
    /// CPUs whose ticks of a round are: their own number in programs, 1 niced, 3 in the kernel, 4 idle, 5 waiting, 6 in
    /// interrupts, 7 in soft interrupts, 8 stolen. The files have the shape of those of Linux 6.12.
    /// </summary>
    public static FakeHost Busy(FakeHost host, int[] numbers, int round)
    {
        string cpus = string.Concat(numbers.Select(number => $"cpu{number} {Line(number)}\n"));
        int possible = numbers.Max() + 1;
        string header = string.Concat(Enumerable.Range(0, possible).Select(static number => $"{"CPU" + number,-11}"));
        string Row(string name, int first) => $"{name,12}:"
            + string.Concat(Enumerable.Range(0, possible).Select(number => $" {round * (first + number),10}")) + "\n";
        return host
            .With("proc/stat", $"cpu  {Line(0)}\n{cpus}intr {round * 1000} 9 0 0 1\nctxt 5\nbtime 1700000000\n"
                + "processes 7\nprocs_running 2\nprocs_blocked 0\nsoftirq 1 2 3 4 5 6 7 8 9 10 11\n")
            .With("proc/softirqs", $"                    {header}\n{Row("HI", 0)}{Row("TIMER", 1)}{Row("NET_TX", 7)}"
                + $"{Row("NET_RX", 100)}{Row("BLOCK", 3)}{Row("RCU", 9)}");

        string Line(int number) =>
            string.Join(' ', ((int[])[number, 1, 3, 4, 5, 6, 7, 8, 0, 0]).Select(ticks => round * ticks));
    }

    public static FakeHost Interrupt(FakeHost host, int number, string name, string cpus) => host
        .WithDirectory($"proc/irq/{number}/{name}")
        .With($"proc/irq/{number}/effective_affinity_list", cpus + "\n")
        .With($"proc/irq/{number}/smp_affinity_list", "0-63\n");

    /// <summary>
    /// CPU n is thread n / coreCount of core n % coreCount; a package has a node and a cache of its own.
    /// </summary>
    public static FakeHost Cpus(FakeHost host, int[] numbers, int coreCount, int packageCount)
    {
        host.With("sys/devices/system/cpu/online", CpuList.Format(numbers) + "\n")
            .With("sys/devices/system/node/online", $"0-{packageCount - 1}\n");
        int coresPerPackage = coreCount / packageCount;
        foreach (int number in numbers)
        {
            int package = number % coreCount / coresPerPackage;
            string[] siblings =
                [.. numbers.Where(other => other % coreCount == number % coreCount).Select(other => $"{other}")];
            string sharers = CpuList.Format(numbers.Where(other => other % coreCount / coresPerPackage == package));
            string cpu = $"sys/devices/system/cpu/cpu{number}/";
            host.With(cpu + "topology/core_id", $"{number % coresPerPackage}\n")
                .With(cpu + "topology/physical_package_id", $"{package}\n")
                .With(cpu + "topology/thread_siblings_list", string.Join(',', siblings) + "\n")
                .With(cpu + "cache/index0/level", "1\n")
                .With(cpu + "cache/index0/type", "Data\n")
                .With(cpu + "cache/index0/shared_cpu_list", $"{number}\n")
                .With(cpu + "cache/index1/level", "3\n")
                .With(cpu + "cache/index1/type", "Unified\n")
                .With(cpu + "cache/index1/size", "32768K\n")
                .With(cpu + "cache/index1/shared_cpu_list", sharers + "\n")
                .With($"sys/devices/system/node/node{package}/cpulist", sharers + "\n");
        }

        return host;
    }
}
