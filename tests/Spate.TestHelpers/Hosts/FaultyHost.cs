using System.Net.Sockets;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Probing;

namespace Spate.TestHelpers.Hosts;

/// <summary>
/// Hosts where nothing is as it should be: together they make every check print the command that it has.
/// </summary>
internal static class FaultyHost
{
    /// <summary>The interface, which a test may have in a namespace of its own.</summary>
    public const string Interface = "veth0";

    private const string Core = "proc/sys/net/core/";
    private const string Ipv4 = "proc/sys/net/ipv4/";
    private const string Netfilter = "proc/sys/net/netfilter/";
    private const string Cpu = "sys/devices/system/cpu/";
    private const string Clock = "sys/devices/system/clocksource/clocksource0/";
    private const string Queues = $"sys/class/net/{Interface}/queues/";
    private const long UsualBytes = 212_992;
    private const int CpuCount = 4;

    private static readonly HostProfile[] Profiles = Enum.GetValues<HostProfile>();

    /// <summary>Everything that checks find on these hosts and print a command for, each command once.</summary>
    public static IReadOnlyList<CheckFinding> Findings() =>
    [
        .. Profiles.SelectMany(OfLosingHost)
            .Concat(Profiles.SelectMany(OfQuietHost))
            .Concat(OfTwoSockets(FakeMachines.TwoSocketMlx5(cpuCount: 1)))
            .Concat(OfTwoSockets(FakeMachines.TwoSocketMlx5()
                .With("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-15\n")))
            .Where(static one => one.Command is not null)
            .DistinctBy(static one => (one.Id, one.Command, one.Undo)),
    ];

    /// <summary>A host whose files are wrong for any profile, with one card.</summary>
    public static RecordedInterface Host()
    {
        RecordedInterface one = new RecordedInterface(Interface).WithRoot("pfifo_fast").WithCpus(CpuCount)
            .WithDriver("mlx5_core");
        one.Card.Rings(8192, 8192, 256, 256)
            .Queues(8, 1)
            .Coalesce(isAdaptive: false, microseconds: 50)
            .Pause(rx: false, tx: false)
            .FlowHash(2, 0x30)
            .FlowHash(6, 0x30)
            .Features(
                "-tx-checksum-ip-generic",
                "-tx-scatter-gather",
                "-tx-generic-segmentation",
                "-rx-gro",
                "-tx-udp-segmentation",
                "-rx-udp-gro-forwarding");
        Record(one.Host);
        for (int number = 0; number < CpuCount; number++)
        {
            one.Host.With(Cpu + $"cpu{number}/cpufreq/scaling_governor", "powersave\n")
                .With(Cpu + $"cpu{number}/cpufreq/scaling_available_governors", "performance powersave\n")
                .With(Cpu + $"cpu{number}/cpuidle/state1/latency", "310\n")
                .With(Queues + $"tx-{number}/xps_cpus", number < 3 ? "7\n" : "0\n");
        }

        return one;
    }

    private static void Record(FakeHost host) => host
        .With(Core + "rmem_max", "212992\n")
        .With(Core + "wmem_max", "212992\n")
        .With(Core + "rmem_default", "212992\n")
        .With(Core + "wmem_default", "212992\n")
        .With(Core + "optmem_max", "131072\n")
        .With(Core + "netdev_max_backlog", "1000\n")
        .With(Core + "netdev_budget", "300\n")
        .With(Core + "netdev_budget_usecs", "8000\n")
        .With(Core + "default_qdisc", "pfifo_fast\n")
        .With(Ipv4 + "udp_mem", "191517\t255357\t383034\n")
        .With(Ipv4 + "ip_forward", "1\n")
        .With(Ipv4 + "conf/all/rp_filter", "0\n")
        .With(Ipv4 + $"conf/{Interface}/rp_filter", "1\n")
        .With(Ipv4 + "ipfrag_high_thresh", "4194304\n")
        .With(Ipv4 + "fib_multipath_hash_policy", "0\n")
        .With("proc/sys/net/ipv6/ip6frag_high_thresh", "4194304\n")
        .With("proc/meminfo", "MemTotal:       16000000 kB\n")
        .With(Netfilter + "nf_conntrack_count", "65000\n")
        .With(Netfilter + "nf_conntrack_max", "65536\n")
        .With(Netfilter + "nf_conntrack_udp_timeout", "30\n")
        .With("proc/thread-self/net/stat/nf_conntrack", "entries drop insert_failed\n00000001 00000000 00000000\n")
        .With("proc/sys/kernel/osrelease", "6.18.0\n")
        .With("lib/modules/6.18.0/modules.dep", "kernel/net/sched/sch_fq.ko:\n")
        .With("proc/1/comm", "systemd\n")
        .With("proc/731/comm", "irqbalance\n")
        .With(Clock + "current_clocksource", "hpet\n")
        .With(Clock + "available_clocksource", "tsc hpet\n")
        .With(Cpu + "smt/active", "1\n")
        .With($"sys/class/net/{Interface}/tx_queue_len", "1000\n")
        .With(Queues + "rx-0/rps_cpus", "0\n");

    private static IReadOnlyList<CheckFinding> OfLosingHost(HostProfile profile)
    {
        using RecordedInterface one = Host();
        one.Growth = one.Growth with { RxMissedErrors = 5 };
        one.Root = one.Root! with { Drops = 5 };
        one.Softnet = new SoftnetCounters { Dropped = 5, Squeezed = 5 };
        HostReadings readings = one.Read(profile);
        UdpSocketCounters[] sockets = [Socket(1, UsualBytes), Socket(2, 2 * UsualBytes)];
        return Examine(readings with
        {
            Sockets = sockets,
            SocketDrops = sockets,
            Growth = readings.Growth with
            {
                Udp4 = new UdpProtocolCounters { RcvbufErrors = 9, SndbufErrors = 9, MemErrors = 9 },
                Ip4 = new IpCounters { ReasmFails = 9, ReversePathFilter = 9 },
                Ip6 = new IpCounters { ReasmFails = 9 },
                Conntrack = new ConntrackCounters { Drops = 9 },
            },
            Paths =
            [
                new PathReading(AddressFamily.InterNetwork)
                {
                    Interface = new InterfaceFacts(Interface, IsUp: true, IsLoopback: false, 1500, []),
                    KnownBytes = 1500,
                    Route = new RouteFacts(2, IsOnLink: true),
                },
            ],
        });
    }

    private static IReadOnlyList<CheckFinding> OfQuietHost(HostProfile profile)
    {
        using RecordedInterface one = Host();
        for (int number = 0; number < CpuCount; number++)
        {
            one.Host.With(Queues + $"tx-{number}/xps_cpus", "0\n").With(Queues + $"rx-{number}/rps_cpus", "f\n");
        }

        one.Card.Queues(8, 2);
        return Examine(one.Read(profile));
    }

    private static IReadOnlyList<CheckFinding> OfTwoSockets(FakeHost host)
    {
        using (host)
        {
            host.With("proc/net/route", "Iface\n" + "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n")
                .WithDirectory("sys/class/iommu/dmar0")
                .With("sys/devices/pci0000:80/0000:81:00.0/iommu_group/type", "DMA\n");
            return Examine(RecordedReadings.Of(host, HostProfile.HundredGigabit));
        }
    }

    private static IReadOnlyList<CheckFinding> Examine(HostReadings readings) =>
        HostExamination.Of(readings, isLinux: true).Findings;

    private static UdpSocketCounters Socket(int port, long buffer) => new(port, port)
    {
        Drops = 5,
        ReceiveBufferBytes = buffer,
        SendQueueBytes = 2 * UsualBytes,
        SendBufferBytes = 2 * UsualBytes,
    };
}
