using Spate.HostTuning.Settings;
using Spate.TestHelpers.Hosts;
using HostSetting = Spate.HostTuning.Settings.HostSetting;

namespace Spate.Tests.HostTuning.Settings;

/// <summary>Settings of cards, written to recorded ones.</summary>
public sealed class CardSettingTests
{
    public static TheoryData<string, string, string> Numbers => new()
    {
        { "ring-rx", "1024", "4096" },
        { "ring-tx", "512", "1024" },
        { "queues-combined", "8", "4" },
        { "queues-rx", "2", "1" },
        { "coalesce-rx-usecs", "30", "0" },
        { "coalesce-tx-usecs", "30", "0" },
        { "coalesce-adaptive-rx", "on", "off" },
        { "coalesce-adaptive-tx", "on", "off" },
        { "pause-rx", "off", "on" },
        { "pause-tx", "on", "off" },
    };

    [Theory]
    [MemberData(nameof(Numbers))]
    public void Write_NumberOfACard_ChangesThatOneAlone(string word, string from, string to)
    {
        using FakeHost host = Host();
        HostSetting[] all = [.. CardNumber.All.Select(static one => new CardNumberSetting("eth0", one))];
        string?[] before = [.. all.Select(one => one.Read(host.RootPath))];
        HostSetting setting = HostSettings.Parse($"card eth0 {word}")!;
        Assert.Equal(from, setting.Read(host.RootPath));

        setting.Write(host.RootPath, to);

        Assert.Equal(to, setting.Read(host.RootPath));
        string?[] expected = [.. all.Select((one, i) => one == setting ? to : before[i])];
        string?[] after = [.. all.Select(one => one.Read(host.RootPath))];
        Assert.Equal(expected, after);
    }

    [Theory]
    [InlineData("card eth0 ring-rx", "4000000000")]
    [InlineData("card eth0 ring-rx", "-1")]
    [InlineData("card eth0 ring-rx", "1024 tx 1")]
    [InlineData("card eth0 pause-rx", "1")]
    [InlineData("feature eth0 rx-gro", "1")]
    [InlineData("flow-hash eth0 udp4", "sdfx")]
    [InlineData("flow-hash eth0 udp4", "")]
    [InlineData("qdisc eth0", "tbf")]
    public void Write_ValueOfAnotherKind_IsRefused(string identity, string value)
    {
        using FakeHost host = Host();
        HostSetting setting = HostSettings.Parse(identity)!;
        string? before = setting.Read(host.RootPath);

        Assert.Throws<IOException>(() => setting.Write(host.RootPath, value));

        Assert.Equal(before, setting.Read(host.RootPath));
    }

    [Fact]
    public void Write_FlowHash_ChangesTheBits()
    {
        using FakeHost host = Host();
        var setting = new FlowHashSetting("eth0", "udp4");
        Assert.Equal("sd", setting.Read(host.RootPath));

        setting.Write(host.RootPath, "sdfn");

        Assert.Equal("sdfn", setting.Read(host.RootPath));
        Assert.Equal("sdfn", new FlowHashSetting("eth0", "udp6").Read(host.RootPath));
    }

    [Theory]
    [InlineData("card none0 ring-rx", "1")]
    [InlineData("feature none0 rx-gro", "on")]
    [InlineData("flow-hash none0 udp4", "sd")]
    [InlineData("qdisc none0", "fq")]
    public void Write_NoSuchInterface_IsRefused(string identity, string value)
    {
        HostSetting setting = HostSettings.Parse(identity)!;

        Assert.Null(setting.Read("/"));
        Assert.Throws<IOException>(() => setting.Write("/", value));
    }

    private static FakeHost Host()
    {
        var host = new FakeHost();
        _ = new RecordedCard(host, "eth0")
            .Rings(8192, 8192, 1024, 512)
            .Queues(maxCombined: 16, combined: 8, maxRx: 4, rx: 2)
            .Coalesce(isAdaptive: true, microseconds: 30)
            .Pause(rx: false, tx: true)
            .FlowHash(2, 0x30)
            .FlowHash(6, 0xf0)
            .Features("rx-gro", "-tx-udp-segmentation");
        return host;
    }
}
