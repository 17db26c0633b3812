using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Interfaces;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Reading.Interfaces;

public sealed class LinkFactsTests
{
    [Fact]
    public void Read_AnotherSystem_TellsNoQueuesAndNoSpeedOfALoopback()
    {
        var files = new HostFiles("/", isLinux: false);
        InterfaceFacts loopback = InterfaceFacts.ReadAll().First(static one => one.IsLoopback);

        Assert.Equal(new LinkFacts(loopback.Name, null, null, null), LinkFacts.Read(loopback.Name, files));
        Assert.Equal(new LinkFacts("none0", null, null, null), LinkFacts.Read("none0", files));
    }

    [Fact]
    public void Read_Card_GivesSpeedAndQueues()
    {
        using FakeHost host = new FakeHost().With("sys/class/net/eth0/speed", "25000\n");
        for (int queue = 0; queue < 16; queue++)
        {
            host.WithDirectory($"sys/class/net/eth0/queues/rx-{queue}")
                .WithDirectory($"sys/class/net/eth0/queues/tx-{queue}");
        }

        host.WithDirectory("sys/class/net/eth0/queues/tx-16");

        Assert.Equal(new LinkFacts("eth0", 25_000_000_000, 16, 17), LinkFacts.Read("eth0", host.RootPath));
    }

    [Theory]
    [InlineData("-1\n")]
    [InlineData("0\n")]
    [InlineData("")]
    [InlineData("fast\n")]
    [InlineData("9223372036854775807\n")]
    public void Read_NoLink_LeavesTheSpeedUnknown(string speed)
    {
        using FakeHost host = new FakeHost().With("sys/class/net/eth0/speed", speed);

        Assert.Equal(new LinkFacts("eth0", null, null, null), LinkFacts.Read("eth0", host.RootPath));
    }

    [Theory]
    [InlineData("")]
    [InlineData(".")]
    [InlineData("..")]
    [InlineData("../eth0")]
    [InlineData("none")]
    public void Read_NameThatIsNoInterface_GivesNothing(string name)
    {
        using FakeHost host = new FakeHost()
            .With("sys/class/net/eth0/speed", "1000\n").With("sys/class/speed", "1000\n").With("sys/eth0/speed", "9\n");

        Assert.Equal(new LinkFacts(name, null, null, null), LinkFacts.Read(name, host.RootPath));
    }
}
