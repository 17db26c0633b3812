using System.Net;
using System.Net.Sockets;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.Tests.HostTuning.Reading.Interfaces;

public sealed class AddressTests
{
    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("127.255.255.254")]
    [InlineData("::1")]
    [InlineData("::ffff:127.0.0.1")]
    [InlineData("0.0.0.0")]
    [InlineData("::")]
    public void Contains_Loopback_IsLocal(string address) =>
        Assert.True(LocalAddresses.Contains(IPAddress.Parse(address)));

    [Theory]
    [InlineData("203.0.113.77")]
    [InlineData("2001:db8::77")]
    [InlineData("128.0.0.1")]
    [InlineData("255.255.255.255")]
    [InlineData("239.1.2.3")]
    public void Contains_ForeignAddress_IsNotLocal(string address) =>
        Assert.False(LocalAddresses.Contains(IPAddress.Parse(address)));

    [Fact]
    public void Contains_EveryInterfaceAddress_IsLocal() => Assert.All(
        InterfaceFacts.ReadAll().SelectMany(static network => network.Addresses),
        static address => Assert.True(LocalAddresses.Contains(address)));

    [Theory]
    [InlineData(9000, AddressFamily.InterNetwork, 8972)]
    [InlineData(9000, AddressFamily.InterNetworkV6, 8952)]
    [InlineData(1500, AddressFamily.InterNetwork, 1472)]
    [InlineData(65536, AddressFamily.InterNetwork, 65507)]
    [InlineData(65536, AddressFamily.InterNetworkV6, 65488)]
    [InlineData(1_000_000, AddressFamily.InterNetworkV6, 65527)]
    [InlineData(20, AddressFamily.InterNetwork, 0)]
    public void MaxPayload_Mtu_LeavesRoomForHeaders(int mtuBytes, AddressFamily family, int expectedBytes) =>
        Assert.Equal(expectedBytes, PathMtu.MaxPayload(mtuBytes, family));

    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("::1")]
    public void TryFind_Loopback_GivesItsMtu(string address)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the MTU of loopback is Linux's");
        IPAddress peer = IPAddress.Parse(address);
        InterfaceFacts? loopback = InterfaceFacts.ReadAll()
            .FirstOrDefault(network => network.IsLoopback && network.Addresses.Contains(peer));
        Assert.SkipWhen(loopback?.MtuBytes is null, $"no loopback interface with {address} and an MTU is visible here");

        // The kernel caps an IPv4 route's MTU at 65535 (IP_MAX_MTU of net/ip.h); the loopback's is 65536.
        int expectedBytes = peer.AddressFamily == AddressFamily.InterNetwork
            ? Math.Min(loopback.MtuBytes.Value, 65535)
            : loopback.MtuBytes.Value;
        Assert.True(PathMtu.TryFind(new IPEndPoint(peer, 0), out int mtuBytes));
        Assert.Equal(expectedBytes, mtuBytes);
    }
}
