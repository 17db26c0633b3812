using System.Net.NetworkInformation;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.Tests.HostTuning.Reading.Interfaces;

public sealed class SystemInterfacesTests
{
    private const long Gigabit = 1_000_000_000;

    [Theory]
    [InlineData(Gigabit, Gigabit)]
    [InlineData(1L, 1L)]
    [InlineData(0L, null)]
    [InlineData(-1L, null)]
    [InlineData(long.MaxValue, null)]
    public void SpeedOf_Card_IsNullWithoutALink(long told, long? expected) =>
        Assert.Equal(expected, SystemInterfaces.SpeedOf("eth1", [new Card("eth0", 5), new Card("eth1", told)]));

    [Fact]
    public void SpeedOf_LoopbackOrUnknownName_IsNull()
    {
        Card[] all = [new("lo", Gigabit, NetworkInterfaceType.Loopback), new("eth0", Gigabit)];

        Assert.Null(SystemInterfaces.SpeedOf("lo", all));
        Assert.Null(SystemInterfaces.SpeedOf("ETH0", all));
        Assert.Null(SystemInterfaces.SpeedOf("eth0", []));
    }

    [Fact]
    public void SpeedOf_SystemThatDoesNotTell_IsNull() =>
        Assert.Null(SystemInterfaces.SpeedOf("eth0", [new Card("eth0", speed: null)]));

    [Fact]
    public void WithGateway_SomeHaveOne_AreNamedUpToTheLimit()
    {
        Card[] all =
        [
            new("lo", 0, NetworkInterfaceType.Loopback), new("eth0", 0, gatewayCount: 1), new("eth1", 0),
            new("eth2", 0, gatewayCount: 2), new("eth3", 0, gatewayCount: 1),
        ];

        Assert.Equal(["eth0", "eth2", "eth3"], SystemInterfaces.WithGateway(all, 9));
        Assert.Equal(["eth0", "eth2"], SystemInterfaces.WithGateway(all, 2));
    }

    [Fact]
    public void WithGateway_InterfaceThatHasJustGone_GivesNone() =>
        Assert.Empty(SystemInterfaces.WithGateway([new Card("eth0", 0, gatewayCount: -1)], 9));

    /// <param name="name">Its name.</param>
    /// <param name="speed">Its speed; null if the system refuses it.</param>
    /// <param name="type">Its type.</param>
    /// <param name="gatewayCount">Its gateways; negative for one that has gone.</param>
    private sealed class Card(
        string name,
        long? speed,
        NetworkInterfaceType type = NetworkInterfaceType.Ethernet,
        int gatewayCount = 0) : NetworkInterface
    {
        public override string Name => name;

        public override long Speed => speed ?? throw new PlatformNotSupportedException();

        public override NetworkInterfaceType NetworkInterfaceType => type;

        public override IPInterfaceProperties GetIPProperties() =>
            gatewayCount < 0 ? throw new NetworkInformationException() : new CardProperties(gatewayCount);
    }

    private sealed class CardProperties(int gatewayCount) : IPInterfaceProperties
    {
        public override GatewayIPAddressInformationCollection GatewayAddresses => new Gateways(gatewayCount);

        public override bool IsDnsEnabled => throw new NotSupportedException();

        public override string DnsSuffix => throw new NotSupportedException();

        public override bool IsDynamicDnsEnabled => throw new NotSupportedException();

        public override UnicastIPAddressInformationCollection UnicastAddresses => throw new NotSupportedException();

        public override MulticastIPAddressInformationCollection MulticastAddresses => throw new NotSupportedException();

        public override IPAddressInformationCollection AnycastAddresses => throw new NotSupportedException();

        public override IPAddressCollection DnsAddresses => throw new NotSupportedException();

        public override IPAddressCollection DhcpServerAddresses => throw new NotSupportedException();

        public override IPAddressCollection WinsServersAddresses => throw new NotSupportedException();

        public override IPv4InterfaceProperties GetIPv4Properties() => throw new NotSupportedException();

        public override IPv6InterfaceProperties GetIPv6Properties() => throw new NotSupportedException();
    }

    private sealed class Gateways(int count) : GatewayIPAddressInformationCollection
    {
        public override int Count => count;
    }
}
