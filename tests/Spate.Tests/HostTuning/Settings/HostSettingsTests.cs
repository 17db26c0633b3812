using Spate.HostTuning.Settings;
using Spate.TestHelpers.Hosts;

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
    [InlineData("sysctl net.core.rmem_max", "0")]
    [InlineData("sysctl net.core.rmem_max", "2147483648")]
    [InlineData("sysctl net.core.rmem_max", "-1")]
    [InlineData("sysctl net.core.rmem_max", "")]
    [InlineData("sysctl net.core.rmem_max", "1\u001b[2J")]
    [InlineData("sysctl net.core.default_qdisc", "fq; reboot")]
    [InlineData("sysctl net.ipv4.udp_mem", "1 2 x")]
    [InlineData("file proc/irq/41/smp_affinity_list", "1\n2")]
    [InlineData("card eth0 ring-rx", "1000001")]
    [InlineData("card eth0 pause-rx", "2")]
    [InlineData("feature eth0 rx-gro", "maybe")]
    [InlineData("flow-hash eth0 udp4", "x")]
    [InlineData("qdisc eth0", "tbf")]
    public void Write_ValueThatNoCheckWants_IsRefusedInOneLine(string identity, string value)
    {
        using var host = new FakeHost();
        HostSetting setting = HostSettings.Parse(identity)!;
        string? path = (setting as FileSetting)?.Path;
        if (path is not null) host.With(path, "before\n");

        var fault = Assert.Throws<IOException>(() => setting.Write(host.RootPath, value));

        Assert.DoesNotContain(fault.Message, char.IsControl);
        if (path is not null) Assert.Equal("before\n", File.ReadAllText(Path.Combine(host.RootPath, path)));
    }

    [Theory]
    [InlineData("sysctl net.core.rmem_max", "2147483647")]
    [InlineData("sysctl net.core.netdev_max_backlog", "0")]
    [InlineData("sysctl net.core.default_qdisc", "fq_codel")]
    [InlineData("sysctl net.ipv4.udp_mem", "1\t2\t3")]
    public void Write_ValueThatAHostMayHave_IsWritten(string identity, string value)
    {
        using var host = new FakeHost();
        var setting = (FileSetting)HostSettings.Parse(identity)!;
        host.With(setting.Path, "before\n");

        setting.Write(host.RootPath, value);

        Assert.Equal(value, setting.Read(host.RootPath));
    }

    [Theory]
    [InlineData("f", "0000000f", true)]
    [InlineData("00000000,0000000f", "f", true)]
    [InlineData("0", "00000000,00000000", true)]
    [InlineData("1,00000000", "1", false)]
    [InlineData("nonsense", "f", false)]
    public void IsSame_MasksOfCpus_ComparesTheCpus(string left, string right, bool isSame) =>
        Assert.Equal(isSame, new CpuMaskSetting("sys/class/net/eth0/queues/rx-0/rps_cpus").IsSame(left, right));
}
