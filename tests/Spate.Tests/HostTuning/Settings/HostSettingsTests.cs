using Spate.HostTuning.Settings;

namespace Spate.Tests.HostTuning.Settings;

public sealed class HostSettingsTests
{
    [Theory]
    [InlineData("sysctl net.core.rmem_max", "sysctl -w net.core.rmem_max=7")]
    [InlineData("file proc/irq/41/smp_affinity_list", "echo 7 > /proc/irq/41/smp_affinity_list")]
    [InlineData("file sys/class/net/eth0/queues/rx-0/rps_cpus", "echo 7 > /sys/class/net/eth0/queues/rx-0/rps_cpus")]
    [InlineData("file sys/class/net/eth0/tx_queue_len", "echo 7 > /sys/class/net/eth0/tx_queue_len")]
    [InlineData("card eth0 ring-rx", "ethtool -G eth0 rx 7")]
    [InlineData("card eth0 queues-combined", "ethtool -L eth0 combined 7")]
    [InlineData("card eth0.7 coalesce-rx-usecs", "ethtool -C eth0.7 rx-usecs 7")]
    [InlineData("card eth0 pause-tx", "ethtool -A eth0 tx 7")]
    [InlineData("feature eth0 tx-udp-segmentation", "ethtool -K eth0 tx-udp-segmentation 7")]
    [InlineData("flow-hash eth0 udp6", "ethtool -N eth0 rx-flow-hash udp6 7")]
    [InlineData("qdisc eth0", "tc qdisc replace dev eth0 root 7")]
    public void Parse_TextOfASetting_MakesItAgain(string identity, string command)
    {
        HostSetting setting = HostSettings.Parse(identity)!;

        Assert.Equal(identity, setting.Identity);
        Assert.Equal(command, setting.CommandFor("7"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("card")]
    [InlineData("card eth0")]
    [InlineData("card eth0 ring-rx more")]
    [InlineData("card eth0 priv-flags")]
    [InlineData("card a/b ring-rx")]
    [InlineData("card .. ring-rx")]
    [InlineData("card -h ring-rx")]
    [InlineData("card a-name-that-is-too-long ring-rx")]
    [InlineData("card eth0;reboot ring-rx")]
    [InlineData("feature eth0 loopback")]
    [InlineData("flow-hash eth0 tcp4")]
    [InlineData("qdisc $(reboot)")]
    [InlineData("qdisc ")]
    [InlineData("sysctl kernel.core_pattern")]
    [InlineData("file sys/class/net/eth0/address")]
    [InlineData("file sys/class/net/../../../etc/tx_queue_len")]
    public void Parse_AnotherText_IsNoSetting(string identity) => Assert.Null(HostSettings.Parse(identity));

    [Theory]
    [InlineData("f", "0000000f", true)]
    [InlineData("00000000,0000000f", "f", true)]
    [InlineData("0", "00000000,00000000", true)]
    [InlineData("1,00000000", "1", false)]
    [InlineData("nonsense", "f", false)]
    public void IsSame_MasksOfCpus_ComparesTheCpus(string left, string right, bool isSame) =>
        Assert.Equal(isSame, new CpuMaskSetting("sys/class/net/eth0/queues/rx-0/rps_cpus").IsSame(left, right));
}
