using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Spate.Tests;

public sealed partial class UdpAddressTests
{
    [Fact]
    public void Default_Value_IsNoAddress()
    {
        UdpAddress address = default;
        Assert.True(address.IsDefault);
        Assert.Equal(AddressFamily.Unspecified, address.AddressFamily);
        Assert.False(address.IsIPv4 || address.IsIPv6 || address.IsUnspecified);
        Assert.False(address.IsLoopback || address.IsMulticast || address.IsBroadcast);
        Assert.False(address.TryWriteBytes(new byte[16], out int bytesWritten));
        Assert.Equal(0, bytesWritten);
        Assert.Throws<InvalidOperationException>(() => default(UdpAddress).ToIPAddress());
        Assert.NotEqual(UdpAddress.Any, address);
        Assert.Equal("none", address.ToString());
    }

    [Fact]
    public void Properties_EachAddress_IsTheFrameworks()
    {
        Assert.Equal(IPAddress.Any, UdpAddress.Any.ToIPAddress());
        Assert.Equal(IPAddress.IPv6Any, UdpAddress.IPv6Any.ToIPAddress());
        Assert.Equal(IPAddress.Loopback, UdpAddress.Loopback.ToIPAddress());
        Assert.Equal(IPAddress.IPv6Loopback, UdpAddress.IPv6Loopback.ToIPAddress());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(5)]
    [InlineData(15)]
    [InlineData(17)]
    public void Constructor_OtherLength_Throws(int length) =>
        Assert.Throws<ArgumentException>("address", () => new UdpAddress(new byte[length]));

    [Fact]
    public void Constructor_Bytes_IsTheAddressOfThem()
    {
        Assert.Equal(UdpAddress.Parse("1.2.3.4"), new UdpAddress([1, 2, 3, 4]));
        Assert.Equal(
            UdpAddress.Parse("fe80::1%3"), new UdpAddress(IPAddress.Parse("fe80::1").GetAddressBytes(), scopeId: 3));
        Assert.Equal(
            UdpAddress.Parse("1.2.3.4"), new UdpAddress(IPAddress.Parse("::ffff:1.2.3.4").GetAddressBytes()));
        Assert.Throws<ArgumentException>("scopeId", () => new UdpAddress([1, 2, 3, 4], scopeId: 3));
    }

    [Fact]
    public void FromIPAddress_Null_Throws() =>
        Assert.Throws<ArgumentNullException>("address", () => UdpAddress.FromIPAddress(null!));

    [Fact]
    public void Equality_OtherPort_IsTheSameAddress()
    {
        UdpAddress one = UdpEndPoint.Parse("[fe80::1%3]:53").Address;
        UdpAddress other = UdpEndPoint.Parse("[fe80::1%3]:54").Address;
        Assert.True(one == other && one.Equals((object)other) && one.GetHashCode() == other.GetHashCode());
        Assert.True(one != UdpAddress.Parse("fe80::1%4") && one != UdpAddress.Parse("fe80::2%3"));
        Assert.False(one.Equals(UdpEndPoint.Parse("fe80::1%3")));
        Assert.Equal(UdpEndPoint.Parse("[fe80::1%3]:55"), new UdpEndPoint(one, 55));
    }

    [Fact]
    public void ConversionComparisonAndHash_BothFamilies_AllocateNothing()
    {
        UdpEndPoint ipv4 = UdpEndPoint.Parse("1.2.3.4:9999");
        UdpEndPoint ipv6 = UdpEndPoint.Parse("[fe80::1%3]:53");
        int sink = UseAll(in ipv4, in ipv6);
        long before = GC.GetAllocatedBytesForCurrentThread();
        sink += UseAll(in ipv4, in ipv6);
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        Assert.NotEqual(0, sink);
    }

    [Fact]
    public void Layout_Struct_IsNotLargerThanAnEndPoint() =>
        Assert.Equal(Unsafe.SizeOf<UdpEndPoint>(), Unsafe.SizeOf<UdpAddress>());

    [Theory]
    [InlineData("0.0.0.0", "unspecified")]
    [InlineData("::", "unspecified")]
    [InlineData("127.0.0.1", "loopback")]
    [InlineData("127.255.255.254", "loopback")]
    [InlineData("::1", "loopback")]
    [InlineData("::ffff:127.0.0.1", "loopback")]
    [InlineData("224.0.0.1", "multicast")]
    [InlineData("239.255.255.255", "multicast")]
    [InlineData("ff02::1%1", "multicast")]
    [InlineData("255.255.255.255", "broadcast")]
    [InlineData("223.255.255.255", "")]
    [InlineData("240.0.0.1", "")]
    [InlineData("126.0.0.1", "")]
    [InlineData("fe80::1", "")]
    [InlineData("::2", "")]
    [InlineData("1::1", "")]
    [InlineData("0.0.0.1", "")]
    [InlineData("1::", "")]
    public void Kinds_Address_IsExactlyOne(string address, string kind)
    {
        UdpAddress value = UdpAddress.FromIPAddress(IPAddress.Parse(address));
        string actual = (value.IsUnspecified ? "unspecified" : "")
            + (value.IsLoopback ? "loopback" : "")
            + (value.IsMulticast ? "multicast" : "")
            + (value.IsBroadcast ? "broadcast" : "");
        Assert.Equal(kind, actual);
    }

    [Theory]
    [InlineData("1.2.3.4", 4)]
    [InlineData("fe80::1%3", 16)]
    public void TryWriteBytes_AnyRoom_WritesAllOrNothing(string address, int addressBytes)
    {
        UdpAddress value = UdpAddress.FromIPAddress(IPAddress.Parse(address));
        for (int room = 0; room < addressBytes; room++)
        {
            byte[] small = new byte[room];
            Assert.False(value.TryWriteBytes(small, out int none));
            Assert.Equal(0, none);
            Assert.All(small, value => Assert.Equal(0, value));
        }

        byte[] exact = new byte[addressBytes];
        Assert.True(value.TryWriteBytes(exact, out int bytesWritten));
        Assert.Equal(addressBytes, bytesWritten);
        Assert.Equal(IPAddress.Parse(address).GetAddressBytes(), exact);
    }

    private static int UseAll(in UdpEndPoint one, in UdpEndPoint other)
    {
        Span<byte> bytes = stackalloc byte[16];
        return one.Address != other.Address && one.Address.TryWriteBytes(bytes, out int written)
            && new UdpEndPoint(new UdpAddress(bytes[..written]), one.Port) == one
            && UdpAddress.Loopback.IsLoopback && UdpAddress.IPv6Any.IsUnspecified
                ? one.Address.GetHashCode() | 1
                : 0;
    }
}
