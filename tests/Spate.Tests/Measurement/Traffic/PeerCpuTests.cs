using Spate.Cli.Bench;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.Measurement.Traffic;

public sealed class PeerCpuTests
{
    // No CPU has these numbers, and no other test claims them. Claims are those of the host's network, where tests of
    // another program may run.
    private static readonly int NoCpu = 1_000_000 + (2 * Environment.ProcessId);
    private static readonly int OtherNoCpu = NoCpu + 1;

    [Fact]
    public void Choose_TwoCores_GivesEachEndItsOwn()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();

        Assert.Equal((0, 1), EndsOn(host));
    }

    [Fact]
    public void Choose_TwoSockets_TakesTwoCoresOfOneCache()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();

        Assert.Equal((0, 15), EndsOn(host));
    }

    [Theory]
    [InlineData("0-3,16-31", 16, 31)]
    [InlineData("5,37", 37, 5)]
    public void Choose_RestrictedProcess_StaysWithinItsCpus(string allowed, int sender, int receiver)
    {
        using FakeHost host = Restricted(allowed);

        Assert.Equal((sender, receiver), EndsOn(host));
    }

    [Fact]
    public void Choose_ProcessRestrictedToOneCpu_IsNone()
    {
        using FakeHost host = Restricted("7");

        Assert.Null(EndsOn(host));
    }

    [Fact]
    public void Choose_OneCpu_IsNone()
    {
        using FakeHost host = FakeMachines.Cpus(new FakeHost(), [0], coreCount: 1, packageCount: 1);

        Assert.Null(EndsOn(host));
    }

    [Fact]
    public void Choose_ThisHost_IsWhereABenchPlacesTheEnds()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.ProcessorCount > 1, "two CPUs of Linux are needed");
        var bench = CpuPlacement.Choose(senderCpu: null, receiverCpu: null);

        Assert.Equal((bench.SenderCpu!.Value, bench.ReceiverCpu!.Value), PeerCpu.Choose(CpuFacts.Read()));
    }

    [Theory]
    [InlineData("127.0.0.1:9999", null, true)]
    [InlineData("0.0.0.0:9999", null, false)]
    [InlineData("127.0.0.1:40000", "127.0.0.1:9999", true)]
    public void Find_PeerMayBeHere_TellsWhetherItIs(string local, string? remote, bool isKnown)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.ProcessorCount > 1, "two CPUs of Linux are needed");

        using PeerCpu? found = Find(local, remote);

        Assert.Equal(isKnown, found?.IsPeerKnown);
        Assert.Null(found!.Taken);
    }

    [Fact]
    public void Find_PeerOfAnotherHost_IsNone() => Assert.Null(Find("192.0.2.2:40000", "192.0.2.3:9999"));

    [Fact]
    public void TryTake_ClaimedCpu_IsLeftAlone()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "CPUs are claimed on Linux only");
        using CpuClaim? first = CpuClaim.TryTake(NoCpu);

        Assert.NotNull(first);
        Assert.Null(CpuClaim.TryTake(NoCpu));
        first.Dispose();
        using CpuClaim? next = CpuClaim.TryTake(NoCpu);
        Assert.NotNull(next);
    }

    [Fact]
    public void TakeAll_ACpuNamedTwice_IsClaimedOnce()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "CPUs are claimed on Linux only");

        using (CpuClaim.TakeAll([OtherNoCpu, OtherNoCpu])) Assert.Null(CpuClaim.TryTake(OtherNoCpu));

        using CpuClaim? next = CpuClaim.TryTake(OtherNoCpu);
        Assert.NotNull(next);
    }

    private static FakeHost Restricted(string allowed) => FakeMachines.TwoSocketMlx5()
        .With("proc/self/status", $"Name:\tspate\nCpus_allowed_list:\t{allowed}\n");

    private static (int Sender, int Receiver)? EndsOn(FakeHost host) => PeerCpu.Choose(CpuFacts.Read(host.RootPath));

    private static PeerCpu? Find(string local, string? remote) => PeerCpu.Find(
        isReceiver: remote is null,
        [(UdpEndPoint.Parse(local), remote is null ? default : UdpEndPoint.Parse(remote))]);
}
