using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>The queues of a card: how many, which flows and CPUs share them, and when they interrupt.</summary>
internal static class CardQueueChecks
{
    private const string VirtioDriver = "virtio_net";

    // The kernel's limit of queues is 65535 (dev->num_rx_queues); cards have some hundred.
    private const uint MaxQueues = ushort.MaxValue;
    private const int MaxSteeredQueues = 1024;

    // Less than what a wakeup of a reader takes.
    private const uint MaxLatencyMicroseconds = 8;
    private const uint MaxMicroseconds = 1_000_000;

    // Drivers that can choose the time by the rate, and whether they can for what was sent too. The request does not
    // tell it, and others refuse it (supported_coalesce_params of the drivers).
    private static readonly (string Driver, bool HasSending)[] AdaptiveDrivers =
    [
        ("mlx5_core", true), ("mlx4_en", false), ("ice", true), ("i40e", true), ("iavf", true), ("bnxt_en", false),
        ("ena", false), ("hns3", true), ("ionic", true), ("sfc", false), ("be2net", false), ("enic", false),
    ];

    /// <summary>Whether a card has a queue for each CPU that is near to it.</summary>
    public static CheckFinding? Count(HostReadings host, HostInterface one)
    {
        const string Why = "One CPU at a time empties a queue, so several CPUs need several queues (ethtool -l).";
        if (one.Card.Channels is not { } channels) return null;

        bool isCombined = channels.max_combined > 0;
        uint max = isCombined ? channels.max_combined : channels.max_rx;
        uint count = isCombined ? channels.combined_count : channels.rx_count;
        if (max == 0) return null;
        if (max > MaxQueues || count > max) return Unknown("The driver reports invalid queue counts.");

        int cpus = Math.Max(1, NearCpus(host, one).Length);
        uint wanted = Math.Min(max, (uint)cpus);

        // A virtual machine's card, whose queues the hypervisor grants.
        bool isVirtio = DriverOf(host, one) is VirtioDriver;
        string found = $"{count} of {max} queues for {cpus} CPUs";
        if (count < wanted && (host.Needs.IsFast || isVirtio))
        {
            CheckFinding finding = Advice(found, $"{wanted} queues", Why) with
            {
                IsBelowNeed = host.Needs.IsFast && count == 1,
            };
            CardNumber number = isCombined ? CardNumber.QueuesCombined : CardNumber.QueuesRx;
            return finding.With(HostChange.Of(new CardNumberSetting(one.Name, number), count, wanted));
        }

        return isVirtio && host.Needs.IsFast && max == 1 && cpus > 1
            ? Advice(found, $"{cpus} queues, granted by the hypervisor", $"{Why} This machine's hypervisor grants one.")
            : Ok(found, count < wanted ? $"This profile needs no more. {Why}" : Why);
    }

    /// <summary>Whether flows of UDP between two hosts are spread over the queues of a card.</summary>
    public static CheckFinding? FlowHashes(HostReadings host, HostInterface one)
    {
        (string Kind, long? Bits)[] kinds =
            [(FlowHashSetting.Udp4, one.Card.Udp4FlowHash), (FlowHashSetting.Udp6, one.Card.Udp6FlowHash)];

        // That arrivals are spread over; 1 where the system does not tell.
        long queues = one.Card.Channels is { } channels && CountOf(channels) is > 0 and var count
            ? count
            : one.Link.ReceiveQueues ?? 1;
        if (queues <= 1) return null;
        if (Array.TrueForAll(kinds, static kind => kind.Bits is null))
        {
            return Unknown("The driver does not report the fields of its flow hash.");
        }

        string found = string.Join(", ", kinds
            .Where(static kind => kind.Bits is not null)
            .Select(static kind => $"{kind.Kind} {Letters(kind.Bits!.Value)}"));
        (string Kind, long Bits)[] wrong =
        [
            .. kinds.Where(static kind => kind.Bits is { } bits && !FlowHash.HasPorts(bits))
                .Select(static kind => (kind.Kind, kind.Bits!.Value)),
        ];
        if (wrong.Length == 0) return Ok(found, "The hash has the ports, so flows use several queues (ethtool -n).");

        CheckFinding finding = Advice(
            found,
            string.Join(", ", wrong.Select(static kind => $"{kind.Kind} {FlowHash.Ports}")),
            "Without the ports all flows between two hosts share one queue and one CPU (ethtool -n, rx-flow-hash). "
                + "Fragments have no ports, so with the ports in the hash they can arrive out of order.")
            with
        { IsBelowNeed = host.Needs.IsFast };
        return finding.With(
        [
            .. wrong.Where(static kind => FlowHash.Format(kind.Bits) is not null)
                .Select(kind => new HostChange(
                    new FlowHashSetting(one.Name, kind.Kind), FlowHash.Format(kind.Bits)!, WithPorts(kind.Bits))),
        ]);

        static long CountOf(ethtool_channels channels) => (long)channels.combined_count + channels.rx_count;

        static string Letters(long bits) => FlowHash.Format(bits) ?? (bits == 0 ? "nothing" : "unknown fields");

        static string WithPorts(long bits) => FlowHash.Format(bits | FlowHash.Parse(FlowHash.Ports)!.Value)!;
    }

    /// <summary>
    /// Which CPUs take packets from the queues of a card (RPS), and which queue a CPU sends by (XPS).
    /// </summary>
    public static CheckFinding? Steering(HostReadings host, HostInterface one)
    {
        if (one.Name.Contains('/', StringComparison.Ordinal) || one.Interrupts.DeviceNames.Count == 0) return null;

        List<QueueMask> receive = ReadMasks(host, one, "rx-", "rps_cpus");
        List<QueueMask> send = ReadMasks(host, one, "tx-", "xps_cpus");
        if (receive.Count == 0 && send.Count == 0) return null;

        return SendSteering(send, host.Cpus.All.Count)
            ?? ReceiveSteering(
                receive, NearCpus(host, one), isAlone: host.Needs.IsFast && one.Link.ReceiveQueues == 1)
            ?? Ok(
                $"RPS {SwitchText.Of(receive.Exists(static queue => queue.IsSet))}, "
                    + $"XPS {SwitchText.Of(send.Exists(static queue => queue.IsSet))}",
                "Steering suits the number of queues (scaling.rst of the kernel).");
    }

    /// <summary>How long a card waits before it tells of arrivals.</summary>
    public static CheckFinding? Coalescing(HostReadings host, HostInterface one)
    {
        if (one.Card.Coalesce is not { } coalesce) return null;
        if (coalesce.rx_coalesce_usecs > MaxMicroseconds) return Unknown("The driver reports an invalid time.");

        bool isAdaptive = coalesce.use_adaptive_rx_coalesce != 0;
        string found = isAdaptive ? "adaptive" : $"{coalesce.rx_coalesce_usecs} microseconds";
        if (host.Needs.Profile == HostProfile.Latency)
        {
            return LatencyCoalescing(one, isAdaptive, coalesce.rx_coalesce_usecs, found);
        }

        string? name = DriverOf(host, one);
        int driver = Array.FindIndex(
            AdaptiveDrivers, known => string.Equals(known.Driver, name, StringComparison.Ordinal));
        if (!host.Needs.IsFast || isAdaptive || driver < 0)
        {
            return Ok(found, "Fewer interrupts save CPU time but add delay (ethtool -c).");
        }

        bool setsSending = AdaptiveDrivers[driver].HasSending && coalesce.use_adaptive_tx_coalesce == 0;
        return Advice(
            found,
            "adaptive",
            "Adaptive coalescing interrupts less under load (ESnet's guide for 100 Gbit/s).")
            .With(
            [
                Switch(one, CardNumber.AdaptiveRx, isOn: true),
                .. setsSending ? [Switch(one, CardNumber.AdaptiveTx, isOn: true)] : Array.Empty<HostChange>(),
            ]);
    }

    /// <summary>A change of a switch, which is the other way now.</summary>
    public static HostChange Switch(HostInterface one, CardNumber number, bool isOn) => new(
        new CardNumberSetting(one.Name, number), SwitchText.Of(!isOn), SwitchText.Of(isOn));

    private static CheckFinding LatencyCoalescing(HostInterface one, bool isAdaptive, uint microseconds, string found)
    {
        const string Why = "The NIC delays the interrupt for received packets by this time (ethtool -c).";
        if (!isAdaptive && microseconds <= MaxLatencyMicroseconds) return Ok(found, Why);

        var time = new CardNumberSetting(one.Name, CardNumber.RxMicroseconds);
        return BelowNeed(found, "0 microseconds, not adaptive", Why).With(
        [
            .. isAdaptive ? [Switch(one, CardNumber.AdaptiveRx, isOn: false)] : Array.Empty<HostChange>(),
            .. microseconds > 0 ? [HostChange.Of(time, microseconds, 0)] : Array.Empty<HostChange>(),
        ]);
    }

    /// <summary>Of the card's NUMA node, or all where it has none.</summary>
    private static int[] NearCpus(HostReadings host, HostInterface one)
    {
        int[] near =
        [
            .. host.Cpus.All.Where(cpu => one.Interrupts.Node is { } node && cpu.Node == node)
                .Select(static cpu => cpu.Number),
        ];
        return near.Length > 0 ? near : [.. host.Cpus.All.Select(static cpu => cpu.Number)];
    }

    private static string? DriverOf(HostReadings host, HostInterface one) =>
        one.Name.Contains('/', StringComparison.Ordinal)
            ? null
            : host.Files.ReadLink($"sys/class/net/{one.Name}/device/driver") is { } link
                ? link[(link.LastIndexOf('/') + 1)..]
                : null;

    private static List<QueueMask> ReadMasks(HostReadings host, HostInterface one, string prefix, string file)
    {
        string folder = $"sys/class/net/{one.Name}/queues";
        var masks = new List<QueueMask>();
        foreach (string queue in host.Files.ListNames(folder, MaxSteeredQueues).Order(StringComparer.Ordinal))
        {
            string path = $"{folder}/{queue}/{file}";
            if (queue.StartsWith(prefix, StringComparison.Ordinal) && host.Files.ReadLine(path) is { } text
                && CpuList.TryParseMask(text, out IReadOnlyList<int> cpus))
            {
                masks.Add(new QueueMask(new CpuMaskSetting(path), text, cpus.Count > 0));
            }
        }

        return masks;
    }

    private static HostChange[] Clear(IEnumerable<QueueMask> queues) =>
    [
        .. queues.Where(static queue => queue.IsSet)
            .Select(static queue => new HostChange(queue.Setting, queue.Text, CpuMaskSetting.None)),
    ];

    // A map that uses some of the queues only makes the CPUs share these. Without any, a hash chooses among all.
    private static CheckFinding? SendSteering(List<QueueMask> queues, int cpus)
    {
        int used = queues.Count(static queue => queue.IsSet);
        return used == 0 || used >= Math.Min(queues.Count, cpus)
            ? null
            : Advice(
                $"XPS uses {used} of {queues.Count} queues",
                "no XPS, so that all queues are used",
                "The map of CPUs to queues leaves queues unused, so that senders share the others "
                    + "(scaling.rst of the kernel, XPS).")
                .With(Clear(queues));
    }

    private static CheckFinding? ReceiveSteering(List<QueueMask> queues, int[] near, bool isAlone)
    {
        bool isOn = queues.Exists(static queue => queue.IsSet);
        if (isOn && queues.Count > 1 && queues.Count >= near.Length)
        {
            return Advice(
                $"RPS on {queues.Count} queues for {near.Length} CPUs",
                "no RPS",
                "With a queue for each CPU, passing packets to other CPUs only costs time "
                    + "(scaling.rst of the kernel, RPS).")
                .With(Clear(queues));
        }

        if (isOn || !isAlone || queues.Count != 1 || near.Length < 2) return null;

        return Advice(
            $"RPS off, 1 queue for {near.Length} CPUs",
            "RPS to these CPUs",
            "One CPU handles all received packets; if the NIC has no more queues (queue-count), RPS can pass flows to "
                + "other CPUs (scaling.rst of the kernel, RPS).")
            .With(new HostChange(queues[0].Setting, queues[0].Text, CpuList.FormatMask(near)));
    }

    private sealed record QueueMask(CpuMaskSetting Setting, string Text, bool IsSet);
}
