using Spate.HostTuning.Checks;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

public sealed class NodeCheckTests
{
    [Theory]
    [InlineData("0-63", CheckStatus.Ok, null)]
    [InlineData("31-33", CheckStatus.Ok, null)]
    [InlineData("0-15", CheckStatus.Advice, "taskset -c 16-31,48-63 PROGRAM")]
    internal void Examine_TwoNodes_ComparesTheProcessWithTheCard(string allowed, CheckStatus expected, string? command)
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5()
            .With("proc/net/route", "Iface\n" + "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n")
            .With("proc/self/status", $"Cpus_allowed_list:\t{allowed}\n");

        CheckFinding finding = Assert.Single(RecordedReadings.Of(host).Examine("numa-node"));

        Assert.Equal((expected, command, "eth0"), (finding.Status, finding.Command, finding.Interface));
    }

    [Fact]
    public void Examine_OneNodeOrNone_IsOkOrUnknown()
    {
        using FakeHost one = FakeMachines.TwoCoreVirtio();
        using var none = new FakeHost();

        Assert.Equal(CheckStatus.Ok, Assert.Single(RecordedReadings.Of(one).Examine("numa-node")).Status);
        Assert.Equal(CheckStatus.Unknown, Assert.Single(RecordedReadings.Of(none).Examine("numa-node")).Status);
    }
}
