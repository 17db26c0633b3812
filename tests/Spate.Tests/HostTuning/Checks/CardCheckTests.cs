using Spate.HostTuning.Checks;
using Spate.HostTuning.Counters;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

/// <summary>The checks of cards against recorded ones.</summary>
public sealed class CardCheckTests
{
    private static readonly HostProfile[] Profiles = Enum.GetValues<HostProfile>();

    [Fact]
    public void Examine_HealthyCardOf10Gigabit_HasNothingToSay()
    {
        using RecordedInterface host = Healthy();

        CheckFinding[] findings = All(host, HostProfile.TenGigabit);

        Assert.All(findings, static one => Assert.Equal(CheckStatus.Ok, one.Status));
        string[] expected =
        [
            "card-drops", "ring", "flow-hash", "queue-count", "offloads", "udp-segmentation", "udp-gro-forwarding",
            "coalescing", "pause", "link-speed",
        ];
        string[] ids = [.. findings.Select(static one => one.Id)];
        Assert.Equal(expected, ids);
        Assert.All(findings, static one => Assert.Equal("eth0", one.Interface));
    }

    [Fact]
    public void Examine_LaptopOf1Gigabit_HasNothingToSay()
    {
        using var host = new RecordedInterface();
        host.WithCpus(8).WithDriver("e1000e").Card
            .Rings(4096, 4096, 256, 256)
            .Coalesce(isAdaptive: false, microseconds: 3)
            .Pause(rx: false, tx: false)
            .Features("tx-scatter-gather", "tx-checksum-ip-generic", "tx-generic-segmentation", "rx-gro",
                "-tx-udp-segmentation!", "-rx-udp-gro-forwarding")
            .Link(1000, duplex: 1, 0, 1, 2, 3, 5);

        Assert.All(All(host, HostProfile.OneGigabit), static one => Assert.Equal(CheckStatus.Ok, one.Status));
    }

    [Fact]
    public void Examine_VethWithoutACard_HasNothingToSay()
    {
        using var host = new RecordedInterface("veth0");
        host.WithCpus(2).Card
            .Queues(maxCombined: 0, combined: 0, maxRx: 1, rx: 1)
            .Features("tx-scatter-gather", "tx-checksum-ip-generic", "tx-generic-segmentation", "rx-gro",
                "tx-udp-segmentation");

        Assert.All(
            Profiles.SelectMany(profile => All(host, profile)),
            static one => Assert.Equal(CheckStatus.Ok, one.Status));
    }

    [Fact]
    public void Examine_InterfaceThatTellsNothing_IsUnknownOrLeftOut()
    {
        using var host = new RecordedInterface();

        CheckFinding[] findings = [.. Profiles.SelectMany(profile => All(host, profile))];

        Assert.DoesNotContain(findings, static one => one.Status is CheckStatus.Problem or CheckStatus.Advice);
        Assert.Contains(findings, static one => one is { Id: "offloads", Status: CheckStatus.Unknown });
    }

    [Theory]
    [InlineData(HostProfile.TenGigabit, 4096u, "ethtool -G eth0 rx 4096")]
    [InlineData(HostProfile.HundredGigabit, 1024u, "ethtool -G eth0 rx 1024")]
    internal void Ring_ShorterThanTheProfileNeeds_IsAdvice(HostProfile profile, uint buffers, string undo)
    {
        using RecordedInterface host = Healthy();
        host.Card.Rings(16384, 8192, buffers, 1024);

        CheckFinding finding = host.Examine("ring", profile)!;

        Assert.Equal((CheckStatus.Advice, "8,192 buffers"), (finding.Status, finding.Wanted));
        Assert.Equal(("ethtool -G eth0 rx 8192", undo), (finding.Command, finding.Undo));
    }

    [Theory]
    [InlineData("rx_out_of_buffer", true)]
    [InlineData("queue_0_rx_no_buffer_count", true)]
    [InlineData("rx_packets", false)]
    [InlineData("rx_xdp_drop", false)]
    public void Ring_DriverCountsPacketsWithoutBuffer_IsAProblemOfTheRing(string counter, bool isProblem)
    {
        using RecordedInterface host = Healthy();
        host.Card.Rings(4096, 4096, 1024, 1024);
        host.DriverGrowth[counter] = 77;

        CheckFinding finding = host.Examine("ring", HostProfile.OneGigabit)!;

        Assert.Equal(isProblem ? CheckStatus.Problem : CheckStatus.Ok, finding.Status);
        Assert.Equal(isProblem ? 77 : 0, finding.Growth);
        Assert.Equal(isProblem ? "ethtool -G eth0 rx 2048" : null, finding.Command);
    }

    [Fact]
    public void Ring_FullAndOfTheGreatestLength_IsAProblemWithoutAChange()
    {
        using RecordedInterface host = Healthy();
        host.Growth = host.Growth with { RxMissedErrors = 5 };

        CheckFinding finding = host.Examine("ring")!;

        Assert.Equal((CheckStatus.Problem, 5L), (finding.Status, finding.Growth));
        Assert.Null(finding.Command);
    }

    [Fact]
    public void CardDrops_CountersGrew_AreNamedTheLargestFirst()
    {
        using RecordedInterface host = Healthy();
        host.Growth = new InterfaceCounters("eth0", 2) { RxErrors = 3, TxErrors = 4, RxDropped = 99 };
        host.DriverGrowth["rx_crc_errors_phy"] = 12;
        host.DriverGrowth["rx_steer_missed_packets"] = 1000;
        host.DriverGrowth["rx_bytes"] = 5000;

        CheckFinding finding = host.Examine("card-drops")!;

        Assert.Equal((CheckStatus.Problem, 12L), (finding.Status, finding.Growth));
        Assert.Equal("rx_crc_errors_phy +12, tx_errors +4, rx_errors +3", finding.Found);
    }

    [Theory]
    [InlineData(0, "rx_missed_errors +9, rx_fifo_errors +8, rx_errors +7, tx_errors +6")]
    [InlineData(5, "rx_missed_errors +9, rx_fifo_errors +8, rx_errors +7, tx_errors +6 and 1 more")]
    public void CardDrops_MoreThanFour_AreCounted(long dropped, string found)
    {
        using RecordedInterface host = new();
        host.Growth = host.Growth with
        {
            RxMissedErrors = 9,
            RxFifoErrors = 8,
            RxErrors = 7,
            TxErrors = 6,
            TxDropped = dropped,
        };

        Assert.Equal(found, host.Examine("card-drops")!.Found);
    }

    [Fact]
    public void Allowance_OfEnaGrew_IsAProblemOfTheCloud()
    {
        using RecordedInterface host = Ena();
        CheckFinding before = host.Examine("cloud-allowance")!;
        host.DriverGrowth["pps_allowance_exceeded"] = 40;
        host.DriverGrowth["bw_out_allowance_exceeded"] = 60;

        CheckFinding finding = host.Examine("cloud-allowance")!;

        Assert.Equal((CheckStatus.Ok, "none now; earlier: pps_allowance_exceeded 7"), (before.Status, before.Found));
        Assert.Equal((CheckStatus.Problem, 60L), (finding.Status, finding.Growth));
        Assert.Equal("bw_out_allowance_exceeded +60, pps_allowance_exceeded +40", finding.Found);
        Assert.Null(finding.Command);
        Assert.Equal(CheckStatus.Ok, host.Examine("card-drops")!.Status);
    }

    [Fact]
    public void FlowHash_OfAddressesAlone_IsAdviceForBothFamilies()
    {
        using RecordedInterface host = Ena();

        CheckFinding finding = host.Examine("flow-hash")!;

        Assert.Equal((CheckStatus.Advice, "udp4 sd, udp6 sdf"), (finding.Status, finding.Found));
        Assert.Equal(
            "ethtool -N eth0 rx-flow-hash udp4 sdfn && ethtool -N eth0 rx-flow-hash udp6 sdfn", finding.Command);
        Assert.Equal("ethtool -N eth0 rx-flow-hash udp6 sdf && ethtool -N eth0 rx-flow-hash udp4 sd", finding.Undo);
    }

    [Theory]
    [InlineData(1u, null)]
    [InlineData(2u, CheckStatus.Advice)]
    internal void FlowHash_CardOfSoManyQueues_MattersFromTwoOn(uint queues, CheckStatus? status)
    {
        using RecordedInterface host = Ena();
        host.Card.Queues(8, queues);

        Assert.Equal(status, host.Examine("flow-hash")?.Status);
    }

    [Fact]
    public void FlowHash_OfFieldsWithoutALetter_IsLeftAlone()
    {
        using RecordedInterface host = Healthy();
        host.Card.FlowHash(2, 0x8000_0000);

        CheckFinding finding = host.Examine("flow-hash")!;

        Assert.Equal((CheckStatus.Advice, "udp4 unknown fields, udp6 sdfn"), (finding.Status, finding.Found));
        Assert.Null(finding.Command);
    }

    [Theory]
    [InlineData("mlx5_core", HostProfile.TenGigabit, 16u, 4u, "8 queues", "ethtool -L eth0 combined 8")]
    [InlineData("igb", HostProfile.OneGigabit, 8u, 4u, "", null)]
    [InlineData("virtio_net", HostProfile.OneGigabit, 4u, 1u, "4 queues", "ethtool -L eth0 combined 4")]
    [InlineData("virtio_net", HostProfile.TenGigabit, 1u, 1u, "8 queues, granted by the hypervisor", null)]
    [InlineData("virtio_net", HostProfile.OneGigabit, 1u, 1u, "", null)]
    internal void QueueCount_FewerThanCpus_IsAdviceWhereItMatters(
        string driver, HostProfile profile, uint max, uint count, string wanted, string? command)
    {
        using RecordedInterface host = new RecordedInterface().WithCpus(8).WithDriver(driver);
        host.Card.Queues(max, count);

        CheckFinding finding = host.Examine("queue-count", profile)!;

        Assert.Equal((wanted, command), (finding.Wanted, finding.Command));
        Assert.Equal(wanted.Length > 0 ? CheckStatus.Advice : CheckStatus.Ok, finding.Status);
    }

    [Theory]
    [InlineData(HostProfile.TenGigabit, false, 8u,
        "ethtool -C eth0 adaptive-rx on && ethtool -C eth0 adaptive-tx on",
        "ethtool -C eth0 adaptive-tx off && ethtool -C eth0 adaptive-rx off")]
    [InlineData(HostProfile.TenGigabit, true, 8u, null, null)]
    [InlineData(HostProfile.Latency, true, 30u,
        "ethtool -C eth0 adaptive-rx off && ethtool -C eth0 rx-usecs 0",
        "ethtool -C eth0 rx-usecs 30 && ethtool -C eth0 adaptive-rx on")]
    [InlineData(HostProfile.Latency, false, 8u, null, null)]
    [InlineData(HostProfile.Latency, false, 9u, "ethtool -C eth0 rx-usecs 0", "ethtool -C eth0 rx-usecs 9")]
    internal void Coalescing_AgainstTheProfile_IsChangedAndTakenBackInReverse(
        HostProfile profile, bool isAdaptive, uint microseconds, string? command, string? undo)
    {
        using RecordedInterface host = Healthy();
        host.Card.Coalesce(isAdaptive, microseconds);

        CheckFinding finding = host.Examine("coalescing", profile)!;

        Assert.Equal((command, undo), (finding.Command, finding.Undo));
    }

    [Theory]
    [InlineData(HostProfile.HundredGigabit, 0, CheckStatus.Advice)]
    [InlineData(HostProfile.TenGigabit, 0, CheckStatus.Ok)]
    [InlineData(HostProfile.TenGigabit, 9, CheckStatus.Advice)]
    [InlineData(HostProfile.OneGigabit, 9, CheckStatus.Ok)]
    internal void Pause_Off_IsAdviceWhereARingIsFull(HostProfile profile, long missed, CheckStatus status)
    {
        using RecordedInterface host = Healthy();
        host.Card.Pause(rx: true, tx: false);
        host.Growth = host.Growth with { RxMissedErrors = missed };

        CheckFinding finding = host.Examine("pause", profile)!;

        Assert.Equal(status, finding.Status);
        Assert.Equal(status == CheckStatus.Advice ? "ethtool -A eth0 tx on" : null, finding.Command);
    }

    [Theory]
    [InlineData(1000u, 1, CheckStatus.Advice, "1 Gbit/s", "10 Gbit/s")]
    [InlineData(10_000u, 1, CheckStatus.Ok, "10 Gbit/s", "")]
    [InlineData(100u, 0, CheckStatus.Advice, "100 Mbit/s, half duplex", "10 Gbit/s")]
    internal void LinkSpeed_BelowThatOfTheCard_IsAdvice(
        uint megabits, byte duplex, CheckStatus status, string found, string wanted)
    {
        using RecordedInterface host = new();
        host.Card.Link(megabits, duplex, 3, 5, 12, 43);

        CheckFinding finding = host.Examine("link-speed")!;

        Assert.Equal((status, found, wanted), (finding.Status, finding.Found, finding.Wanted));
    }

    [Fact]
    public void Examine_NumbersOf4Billion_AreUnknown()
    {
        using RecordedInterface host = new RecordedInterface().WithCpus(4).WithDriver("mlx5_core");
        host.Card
            .Rings(uint.MaxValue, uint.MaxValue, uint.MaxValue, uint.MaxValue)
            .Queues(uint.MaxValue, uint.MaxValue, uint.MaxValue, uint.MaxValue)
            .Coalesce(isAdaptive: false, uint.MaxValue)
            .Link(uint.MaxValue, byte.MaxValue)
            .With("37-1", [.. BitConverter.GetBytes(0x37), 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255])
            .With("37-4", [.. BitConverter.GetBytes(0x37), 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 127]);

        CheckFinding[] findings = [.. Profiles.SelectMany(profile => All(host, profile))];

        Assert.DoesNotContain(findings, static one => one.Changes.Count > 0);
        Assert.Contains(findings, static one => one is { Id: "ring", Status: CheckStatus.Unknown });
        Assert.Contains(findings, static one => one is { Id: "queue-count", Status: CheckStatus.Unknown });
        Assert.Contains(findings, static one => one is { Id: "coalescing", Status: CheckStatus.Unknown });
    }

    [Fact]
    public void Examine_BytesFromAnywhere_NeverThrowsAndShowsPlainTextOnly()
    {
        int seed = Environment.TickCount;
        TestContext.Current.SendDiagnosticMessage("seed {0}", seed);
        var random = new Random(seed);
        string[] keys = ["10", "3c", "e", "12", "29-2", "29-6", "4c", "37-1", "37-4", "1b-1", "1b-4", "3a", "1d"];
        int rounds = TestWidth.Of(60, full: 2000);
        for (int round = 0; round < rounds; round++)
        {
            using RecordedInterface host = Healthy();
            foreach (string key in keys.Where(_ => random.Next(2) == 0))
            {
                byte[] answer = new byte[random.Next(300)];
                random.NextBytes(answer);
                host.Card.With(key, answer);
            }

            foreach (CheckFinding one in Profiles.SelectMany(profile => All(host, profile)))
            {
                string text = one.Found + one.Wanted + one.Reason + one.Command;
                Assert.True(text.All(static letter => letter is >= ' ' and <= '~'), $"seed {seed}: {text}");
            }
        }
    }

    [Fact]
    public void Examine_NameThatAShellWouldTakeForACommand_HasNoCommand()
    {
        using var host = new RecordedInterface("a;reboot\u001b");
        host.WithCpus(8).Card.Rings(8192, 8192, 256, 256).Queues(8, 1).Features("-rx-gro");

        CheckFinding[] findings = All(host, HostProfile.TenGigabit);

        Assert.Contains(findings, static one => one is { Id: "ring", Status: CheckStatus.Advice });
        Assert.All(findings, static one => Assert.Null(one.Command));
        Assert.All(findings, static one => Assert.Equal("a;reboot\\x1b", one.Interface));
    }

    internal static RecordedInterface Healthy()
    {
        RecordedInterface host = new RecordedInterface().WithCpus(8).WithDriver("mlx5_core");
        host.Card
            .Rings(8192, 8192, 8192, 1024)
            .Queues(maxCombined: 16, combined: 8)
            .Coalesce(isAdaptive: true, microseconds: 8)
            .Pause(rx: true, tx: true)
            .FlowHash(2, 0xf0)
            .FlowHash(6, 0xf0)
            .Features("tx-scatter-gather", "tx-checksum-ip-generic", "tx-generic-segmentation", "rx-gro",
                "tx-udp-segmentation", "-rx-udp-gro-forwarding")
            .Statistics(("rx_out_of_buffer", 12), ("rx_packets", 1_000_000))
            .Link(10_000, duplex: 1, 5, 12, 43);
        return host;
    }

    private static RecordedInterface Ena()
    {
        RecordedInterface host = new RecordedInterface().WithCpus(4).WithDriver("ena");
        host.Card
            .Rings(8192, 1024, 1024, 1024)
            .Queues(maxCombined: 4, combined: 4)
            .FlowHash(2, 0x30)
            .FlowHash(6, 0x70)
            .Statistics(
                ("bw_in_allowance_exceeded", 0), ("bw_out_allowance_exceeded", 0), ("pps_allowance_exceeded", 7),
                ("conntrack_allowance_exceeded", 0), ("conntrack_allowance_available", 90_000));
        return host;
    }

    private static CheckFinding[] All(RecordedInterface host, HostProfile profile)
    {
        HostReadings readings = host.Read(profile);
        return [.. CheckCatalog.Cards.SelectMany(check => check.Examine(readings))];
    }
}
