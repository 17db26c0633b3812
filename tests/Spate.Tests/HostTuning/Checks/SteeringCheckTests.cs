using Spate.HostTuning.Checks;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

public sealed class SteeringCheckTests
{
    private const string Folder = "sys/class/net/eth0/queues";

    [Fact]
    public void Examine_SteeringBesideAQueueForEachCpu_IsTurnedOff()
    {
        using RecordedInterface host = Host("3", "0");

        CheckFinding finding = host.Examine("steering")!;

        Assert.Equal((CheckStatus.Advice, "RPS on 2 queues for 2 CPUs"), (finding.Status, finding.Found));
        Assert.Equal("echo 0 > /sys/class/net/eth0/queues/rx-0/rps_cpus", finding.Command);
        Assert.Equal("echo 3 > /sys/class/net/eth0/queues/rx-0/rps_cpus", finding.Undo);
    }

    [Theory]
    [InlineData(HostProfile.TenGigabit, "echo ffffffff,ffffffff > /sys/class/net/eth0/queues/rx-0/rps_cpus")]
    [InlineData(HostProfile.OneGigabit, null)]
    internal void Examine_OneQueueForManyCpus_IsSteeredAtHighRatesOnly(HostProfile profile, string? command)
    {
        using RecordedInterface host = Host("00000000,00000000").WithCpus(64);

        Assert.Equal(command, host.Examine("steering", profile)!.Command);
    }

    [Fact]
    public void Examine_MapThatUsesOneOfFourQueues_IsCleared()
    {
        using RecordedInterface host = Host("0", "0", "0", "0").WithCpus(4);
        for (int i = 0; i < 4; i++) host.Host.With($"{Folder}/tx-{i}/xps_cpus", i == 0 ? "f\n" : "0\n");

        CheckFinding finding = host.Examine("steering", HostProfile.OneGigabit)!;

        Assert.Equal("XPS uses 1 of 4 queues", finding.Found);
        Assert.Equal("echo 0 > /sys/class/net/eth0/queues/tx-0/xps_cpus", finding.Command);
    }

    [Fact]
    public void Examine_MapThatUsesAQueueForEachCpu_IsOk()
    {
        using RecordedInterface host = Host("0", "0", "0", "0").WithCpus(2);
        for (int i = 0; i < 4; i++) host.Host.With($"{Folder}/tx-{i}/xps_cpus", i < 2 ? $"{i + 1}\n" : "0\n");

        CheckFinding finding = host.Examine("steering")!;

        Assert.Equal((CheckStatus.Ok, "RPS off, XPS on"), (finding.Status, finding.Found));
    }

    [Theory]
    [InlineData("nonsense")]
    [InlineData("")]
    [InlineData("0")]
    public void Examine_NothingSteered_IsOk(string mask)
    {
        using RecordedInterface host = Host(mask, "0");

        Assert.Equal(CheckStatus.Ok, host.Examine("steering")!.Status);
    }

    private static RecordedInterface Host(params string[] receiveMasks)
    {
        RecordedInterface host = new RecordedInterface().WithCpus(2).WithDriver("virtio_net");
        for (int i = 0; i < receiveMasks.Length; i++)
        {
            host.Host.With($"{Folder}/rx-{i}/rps_cpus", receiveMasks[i] + "\n");
        }

        return host;
    }
}
