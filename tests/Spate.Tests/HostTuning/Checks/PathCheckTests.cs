using System.Net.Sockets;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Probing;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

/// <summary>The checks of the path, from what was read of it.</summary>
public sealed class PathCheckTests
{
    private static readonly PathReading Path9000 = new(AddressFamily.InterNetwork)
    {
        Interface = new InterfaceFacts("eth0", IsUp: true, IsLoopback: false, 9000, []),
        KnownBytes = 9000,
        Route = new RouteFacts(1, IsOnLink: true),
        Probe = new MtuProbe(9000, true, null, 2),
        EchoedClass = 0b10,
    };

    [Fact]
    public void Path_AllIsWell_IsOk()
    {
        CheckFinding[] findings = Examine(Path9000);

        Assert.Equal("path-mtu jumbo ecmp ecn", string.Join(' ', findings.Select(static one => one.Id)));
        Assert.All(findings, static one => Assert.Equal((CheckStatus.Ok, "eth0"), (one.Status, one.Interface)));
        Assert.Contains("8,972 bytes", findings[0].Reason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1500, null, CheckStatus.Advice, "payloads of at most 1,472 bytes")]
    [InlineData(9000, 1500, CheckStatus.Advice, "payloads of at most 1,472 bytes in both directions")]
    [InlineData(9000, null, CheckStatus.Ok, "")]
    internal void PathMtu_ShorterThanTheInterface_NamesThePayload(
        int pathBytes, int? backBytes, CheckStatus expected, string wanted)
    {
        CheckFinding finding = Examine(
            Path9000 with { Probe = new MtuProbe(pathBytes, true, backBytes, 9) })[0];

        Assert.Equal((expected, wanted), (finding.Status, finding.Wanted));
    }

    [Fact]
    public void PathMtu_NoProbesNoAnswerOrNoRoute_IsUnknownWithItsReason()
    {
        CheckFinding silent = Examine(Path9000 with { Probe = new MtuProbe(null, false, null, 3) })[0];
        CheckFinding forbidden = Examine(Path9000 with { Probe = null })[0];
        CheckFinding none = Examine(new PathReading(AddressFamily.InterNetworkV6))[0];

        Assert.All([silent, forbidden, none], static one => Assert.Equal(CheckStatus.Unknown, one.Status));
        Assert.Contains("answered no probe", silent.Reason, StringComparison.Ordinal);
        Assert.Contains("ping_group_range", forbidden.Reason, StringComparison.Ordinal);
        Assert.Contains("no route to the target over IPv6", none.Reason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(9000, 1500, true, CheckStatus.Advice)]
    [InlineData(9000, 1500, false, CheckStatus.Ok)]
    [InlineData(1500, 1500, true, CheckStatus.Advice)]
    [InlineData(1500, 1500, false, CheckStatus.Ok)]
    internal void Jumbo_AtTenGigabit_IsForLocalTargets(
        int interfaceBytes, int pathBytes, bool isOnLink, CheckStatus expected)
    {
        CheckFinding[] findings = Examine(Path9000 with
        {
            Interface = Path9000.Interface! with { MtuBytes = interfaceBytes },
            Probe = new MtuProbe(pathBytes, true, null, 9),
            Route = new RouteFacts(1, isOnLink),
        });

        Assert.Equal(expected, Assert.Single(findings, static one => one.Id is "jumbo").Status);
    }

    [Theory]
    [InlineData(1500, HostProfile.TenGigabit, CheckStatus.Advice)]
    [InlineData(1500, HostProfile.OneGigabit, CheckStatus.Ok)]
    [InlineData(1500, HostProfile.Latency, CheckStatus.Ok)]
    [InlineData(9000, HostProfile.TenGigabit, CheckStatus.Ok)]
    [InlineData(null, HostProfile.TenGigabit, CheckStatus.Unknown)]
    internal void Jumbo_WithoutATarget_LooksAtTheInterface(int? bytes, HostProfile profile, CheckStatus expected)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();
        HostReadings readings = RecordedReadings.Of(
            host, profile, [FakeMachines.Interfaces[1] with { MtuBytes = bytes }]);

        CheckFinding finding = Assert.Single(
            CheckCatalog.Paths.SelectMany(check => check.Examine(readings)));

        Assert.Equal((expected, "eth0"), (finding.Status, finding.Interface));
        Assert.Equal(expected == CheckStatus.Advice ? "ip link set dev eth0 mtu 1500" : null, finding.Undo);
    }

    [Theory]
    [InlineData("$(id)")]
    [InlineData("a;id")]
    [InlineData("-x")]
    public void Jumbo_NameThatAShellWouldNotTakeAsItIs_IsInNoCommand(string name)
    {
        CheckFinding finding = Assert.Single(
            Examine(Path9000 with
            {
                Interface = Path9000.Interface! with { Name = name, MtuBytes = 1500 },
                Probe = new MtuProbe(1500, true, null, 9),
            }),
            static one => one.Id is "jumbo");

        Assert.Equal((CheckStatus.Advice, null, null), (finding.Status, finding.Command, finding.Undo));
    }

    [Theory]
    [InlineData("0", CheckStatus.Advice, "sysctl -w net.ipv4.fib_multipath_hash_policy=1")]
    [InlineData("1", CheckStatus.Ok, null)]
    internal void Ecmp_SeveralNextHops_LooksAtWhatFlowsAreSharedOutBy(
        string policy, CheckStatus expected, string? command)
    {
        using FakeHost host =
            FakeMachines.TwoCoreVirtio().With("proc/sys/net/ipv4/fib_multipath_hash_policy", policy + "\n");

        CheckFinding finding = Assert.Single(
            Examine(Path9000 with { Route = new RouteFacts(2, IsOnLink: false) }, host),
            static one => one.Id is "ecmp");

        Assert.Equal((expected, command), (finding.Status, finding.Command));
    }

    [Theory]
    [InlineData(0b10, CheckStatus.Ok)]
    [InlineData(0b11, CheckStatus.Ok)]
    [InlineData(0b00, CheckStatus.Unknown)]
    [InlineData(0b01, CheckStatus.Unknown)]
    [InlineData(null, CheckStatus.Unknown)]
    internal void Ecn_ReplyWithoutTheMark_ProvesNothing(int? echoed, CheckStatus expected)
    {
        CheckFinding finding = Assert.Single(
            Examine(Path9000 with { EchoedClass = (byte?)echoed }), static one => one.Id is "ecn");

        Assert.Equal(expected, finding.Status);
    }

    private static CheckFinding[] Examine(PathReading path)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();
        return Examine(path, host);
    }

    private static CheckFinding[] Examine(PathReading path, FakeHost host)
    {
        HostReadings readings = RecordedReadings.Of(host, HostProfile.TenGigabit) with { Paths = [path] };
        return [.. CheckCatalog.Paths.SelectMany(check => check.Examine(readings))];
    }
}
