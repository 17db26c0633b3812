using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Spate.Tests;

public sealed partial class UdpEndPointTests
{
    [Fact]
    public void Layout_IPv4_IsTheSystemsOwn()
    {
        var endPoint = new UdpEndPoint(IPAddress.Parse("1.2.3.4"), 0x1234);
        byte[] expected = new byte[28];
        new IPEndPoint(IPAddress.Parse("1.2.3.4"), 0x1234).Serialize().Buffer.Span[..16].CopyTo(expected);
        Assert.Equal(expected[2..], AllBytes(endPoint)[2..]);
        Assert.Equal(16, endPoint.NativeLength);
        Assert.Equal(AllBytes(endPoint)[..16], endPoint.NativeBytes.ToArray());
    }

    [Fact]
    public void Layout_IPv6_IsTheSystemsOwn()
    {
        var address = IPAddress.Parse("fe80:1:2:3:4:5:6:7%9");
        var endPoint = new UdpEndPoint(address, 0x1234);
        byte[] expected = new IPEndPoint(address, 0x1234).Serialize().Buffer.Span[2..28].ToArray();
        Assert.Equal(expected, AllBytes(endPoint)[2..]);
        Assert.Equal(28, endPoint.NativeLength);
        Assert.Equal(AllBytes(endPoint), endPoint.NativeBytes.ToArray());
    }

    [Fact]
    public void Layout_OnLinux_MatchesTheBytesOfTheManualPage()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && BitConverter.IsLittleEndian, "the bytes are those of Linux");
        string ipv4 = Convert.ToHexString(AllBytes(UdpEndPoint.Parse("1.2.3.4:4660")));
        string ipv6 = Convert.ToHexString(AllBytes(UdpEndPoint.Parse("[102:304:506:708:90a:b0c:d0e:f10%5]:4660")));
        Assert.Equal("0200" + "1234" + "01020304" + new string('0', 40), ipv4);
        Assert.Equal("0A00" + "1234" + "00000000" + "0102030405060708090A0B0C0D0E0F10" + "05000000", ipv6);
    }

    [Fact]
    public void Layout_Struct_HasTheSizeOfTheLargestAddressAndNoPadding()
    {
        Assert.Equal(28, Unsafe.SizeOf<UdpEndPoint>());
        var two = new UdpEndPoint[2];
        Assert.Equal(28, (int)Unsafe.ByteOffset(ref two[0], ref two[1]));
    }

    [Theory]
    [InlineData(2, 16, false, 0x0002)]
    [InlineData(10, 28, false, 0x000A)]
    [InlineData(23, 28, false, 0x0017)]
    [InlineData(2, 16, true, 0x0210)]
    [InlineData(30, 28, true, 0x1E1C)]
    public void FirstWord_WithAndWithoutLengthByte_IsTheSystems(int family, int bytes, bool hasLength, int expected) =>
        Assert.Equal(expected, UdpEndPoint.NativeFamily.FirstWord(family, bytes, hasLength));

    [Fact]
    public void Default_Value_HasNoAddress()
    {
        UdpEndPoint endPoint = default;
        Assert.True(endPoint.IsDefault);
        Assert.Equal(AddressFamily.Unspecified, endPoint.AddressFamily);
        Assert.Equal(0, endPoint.Port);
        Assert.Equal(0, endPoint.NativeLength);
        Assert.True(endPoint.NativeBytes.IsEmpty);
        Assert.False(endPoint.IsIPv4 || endPoint.IsIPv6);
        Assert.True(endPoint.Address.IsDefault);
        Assert.Throws<InvalidOperationException>(() => default(UdpEndPoint).WithPort(1));
        Assert.NotEqual(UdpEndPoint.Any(0), endPoint);
        Assert.Equal("none", endPoint.ToString());
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(65536)]
    [InlineData(int.MinValue)]
    public void Constructor_PortOutOfRange_Throws(int port)
    {
        Assert.Throws<ArgumentOutOfRangeException>(nameof(port), () => new UdpEndPoint(IPAddress.Loopback, port));
        Assert.Throws<ArgumentOutOfRangeException>(nameof(port), () => new UdpEndPoint(UdpAddress.Loopback, port));
        Assert.Throws<ArgumentOutOfRangeException>(nameof(port), () => UdpEndPoint.Any(port));
        Assert.Throws<ArgumentOutOfRangeException>(nameof(port), () => UdpEndPoint.Any(1).WithPort(port));
    }

    [Fact]
    public void Constructor_NoAddress_Throws()
    {
        Assert.Throws<ArgumentNullException>("address", () => new UdpEndPoint((IPAddress)null!, 1));
        Assert.Throws<ArgumentException>("address", () => new UdpEndPoint(default(UdpAddress), 1));
    }

    [Fact]
    public void Factories_EachAddress_IsTheFrameworks()
    {
        Assert.Equal(new IPEndPoint(IPAddress.Any, 65535), UdpEndPoint.Any(65535).ToIPEndPoint());
        Assert.Equal(new IPEndPoint(IPAddress.IPv6Any, 1), UdpEndPoint.IPv6Any(1).ToIPEndPoint());
        Assert.Equal(new IPEndPoint(IPAddress.Loopback, 0), UdpEndPoint.Loopback(0).ToIPEndPoint());
        Assert.Equal(new IPEndPoint(IPAddress.IPv6Loopback, 2), UdpEndPoint.IPv6Loopback(2).ToIPEndPoint());
    }

    [Fact]
    public void WithPort_IPv6WithScope_ChangesOnlyThePort()
    {
        UdpEndPoint endPoint = UdpEndPoint.Parse("[fe80::1%7]:1").WithPort(65535);
        Assert.Equal(UdpEndPoint.Parse("[fe80::1%7]:65535"), endPoint);
        Assert.Equal(UdpAddress.Parse("fe80::1%7"), endPoint.Address);
    }

    private static byte[] AllBytes(UdpEndPoint endPoint) =>
        MemoryMarshal.AsBytes(MemoryMarshal.CreateReadOnlySpan(ref endPoint, 1)).ToArray();
}
