using Spate.HostTuning.Settings;

namespace Spate.HostTests.HostTuning.Settings;

/// <summary>Settings of cards, written to a veth pair as far as it has them.</summary>
public sealed class VethSettingTests
{
    [Theory]
    [InlineData("feature veth0 tx-udp-segmentation", "off", "ethtool")]
    [InlineData("feature veth0 rx-udp-gro-forwarding", "on", "ethtool")]
    [InlineData("feature veth0 tx-checksum-ip-generic", "off", "ethtool")]
    [InlineData("card veth0 queues-rx", "1", "ethtool")]
    [InlineData("card veth0 queues-tx", "1", "ethtool")]
    [InlineData("qdisc veth0", "pfifo_fast", "tc")]
    public void Command_RunAndUndone_DoesWhatWriteDoes(string identity, string value, string program)
    {
        Programs.Require(program, program is "tc" ? "iproute2" : program);
        using var place = new NetworkNamespace();
        place.Ip("link add veth0 numrxqueues 2 numtxqueues 2 type veth peer name veth1");
        place.Ip("link set veth0 up");
        place.Ip("link set veth1 up");
        HostSetting setting = HostSettings.Parse(identity)!;
        string? Read() => place.Enter(() => setting.Read("/"));
        var change = new HostChange(setting, Read()!, value);
        Assert.False(setting.IsSame(change.From, value));

        place.Execute(change.Command);
        Assert.True(setting.IsSame(Read()!, value), Read());
        place.Execute(change.Undo);
        Assert.Equal(change.From, Read());

        place.Enter(() => Write(setting, value));
        Assert.True(setting.IsSame(Read()!, value), Read());
        place.Enter(() => Write(setting, change.From));
        Assert.Equal(change.From, Read());
    }

    [Fact]
    public void Read_RootThatSomebodyMade_IsTheSameOnlyWithItsOptions()
    {
        Programs.Require("tc", "iproute2");
        using var place = new NetworkNamespace();
        var setting = new QueueSetting("lo");
        string Read() => place.Enter(() => setting.Read("/"))!;
        Assert.Equal("default noqueue", Read());

        place.Execute("tc qdisc replace dev lo root handle 7: tbf rate 10mbit burst 10000 limit 10000");
        string slow = Read();
        place.Execute("tc qdisc change dev lo root handle 7: tbf rate 20mbit burst 10000 limit 10000");
        string fast = Read();

        Assert.StartsWith("tbf 7:", slow, StringComparison.Ordinal);
        Assert.False(QueueSetting.IsDefault(slow));
        Assert.False(setting.IsSame(slow, fast));
        Assert.True(setting.IsSame(slow, "tbf"));
    }

    private static bool Write(HostSetting setting, string value)
    {
        setting.Write("/", value);
        return true;
    }
}
