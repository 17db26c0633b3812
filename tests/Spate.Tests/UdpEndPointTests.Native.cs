using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Spate.Tests;

public sealed partial class UdpEndPointTests
{
    [Fact]
    public void ToMapped_IPv4_HasTheBytesOfAMappedSocketAddress()
    {
        UdpEndPoint mapped = UdpEndPoint.Parse("1.2.3.4:4660").ToMapped();
        var expected = new IPEndPoint(IPAddress.Parse("::ffff:1.2.3.4"), 4660).Serialize();
        Assert.Equal(28, mapped.NativeLength);
        Assert.Equal(expected.Buffer.Span[2..28].ToArray(), AllBytes(mapped)[2..]);
    }

    [Theory]
    [InlineData("[::1]:5")]
    [InlineData("[fe80::1%4]:5")]
    public void ToMapped_IPv6_IsUnchanged(string text) =>
        Assert.Equal(AllBytes(UdpEndPoint.Parse(text)), AllBytes(UdpEndPoint.Parse(text).ToMapped()));

    [Fact]
    public void Normalize_MappedWithFlowAndScope_BecomesPlainIPv4()
    {
        UdpEndPoint endPoint = UdpEndPoint.Parse("1.2.3.4:4660").ToMapped();
        Scribble(ref endPoint, 4, 8);
        Scribble(ref endPoint, 24, 28);
        UdpEndPoint.Normalize(ref endPoint);
        Assert.Equal(AllBytes(UdpEndPoint.Parse("1.2.3.4:4660")), AllBytes(endPoint));
    }

    [Fact]
    public void Normalize_IPv6WithFlowInformation_ClearsOnlyThat()
    {
        UdpEndPoint expected = UdpEndPoint.Parse("[fe80::1%4]:5");
        UdpEndPoint endPoint = expected;
        Scribble(ref endPoint, 4, 8);
        Assert.NotEqual(AllBytes(expected), AllBytes(endPoint));
        UdpEndPoint.Normalize(ref endPoint);
        Assert.Equal(AllBytes(expected), AllBytes(endPoint));
    }

    [Fact]
    public void Normalize_IPv4InASlotThatHeldIPv6_ClearsTheRest()
    {
        UdpEndPoint expected = UdpEndPoint.Parse("1.2.3.4:5");
        UdpEndPoint endPoint = expected;
        Scribble(ref endPoint, 8, 28);
        UdpEndPoint.Normalize(ref endPoint);
        Assert.Equal(AllBytes(expected), AllBytes(endPoint));
    }

    [Fact]
    public void Normalize_ForeignFamily_BecomesDefault()
    {
        UdpEndPoint endPoint = default;
        Scribble(ref endPoint, 0, 28);
        UdpEndPoint.Normalize(ref endPoint);
        Assert.Equal(new byte[28], AllBytes(endPoint));
    }

    [Theory]
    [InlineData("0.0.0.0")]
    [InlineData("::")]
    [InlineData("::1")]
    [InlineData("::ffff:0:1.2.3.4")]
    [InlineData("::1.2.3.4")]
    [InlineData("1::ffff:1.2.3.4")]
    [InlineData("::fffe:1.2.3.4")]
    public void Normalize_NormalForm_IsUnchanged(string address)
    {
        UdpEndPoint endPoint = new(IPAddress.Parse(address), 7);
        byte[] before = AllBytes(endPoint);
        UdpEndPoint.Normalize(ref endPoint);
        Assert.Equal(before, AllBytes(endPoint));
        Assert.Equal(IPAddress.Parse(address), endPoint.Address.ToIPAddress());
    }

    [Theory]
    [InlineData("1.2.3.4")]
    [InlineData("fe80::1%8")]
    [InlineData("2001:db8::1")]
    public void ToSocketAddress_ThereAndBack_IsTheFrameworksAndTheSame(string address)
    {
        var framework = new IPEndPoint(IPAddress.Parse(address), 40000);
        var endPoint = UdpEndPoint.FromIPEndPoint(framework);
        SocketAddress socketAddress = endPoint.ToSocketAddress();
        Assert.Equal(framework.Serialize(), socketAddress);
        Assert.Equal(endPoint, UdpEndPoint.FromSocketAddress(socketAddress));
        Assert.Equal(framework, endPoint.ToIPEndPoint());
    }

    [Fact]
    public void FromSocketAddress_MappedWithFlow_IsNormal()
    {
        var socketAddress = new IPEndPoint(IPAddress.Parse("::ffff:1.2.3.4"), 5).Serialize();
        socketAddress[5] = 0xFF;
        Assert.Equal(UdpEndPoint.Parse("1.2.3.4:5"), UdpEndPoint.FromSocketAddress(socketAddress));

        socketAddress = new IPEndPoint(IPAddress.IPv6Loopback, 5).Serialize();
        socketAddress[5] = 0xFF;
        Assert.Equal(UdpEndPoint.IPv6Loopback(5), UdpEndPoint.FromSocketAddress(socketAddress));
    }

    [Theory]
    [InlineData(AddressFamily.InterNetwork, 15)]
    [InlineData(AddressFamily.InterNetworkV6, 27)]
    [InlineData(AddressFamily.InterNetworkV6, 2)]
    [InlineData(AddressFamily.Unix, 28)]
    [InlineData(AddressFamily.Unspecified, 28)]
    public void FromSocketAddress_ForeignOrShort_IsRefused(AddressFamily family, int bytes)
    {
        var socketAddress = new SocketAddress(family, bytes);
        Assert.False(UdpEndPoint.TryFromSocketAddress(socketAddress, out UdpEndPoint endPoint));
        Assert.True(endPoint.IsDefault);
        Assert.Throws<ArgumentException>("address", () => UdpEndPoint.FromSocketAddress(socketAddress));
    }

    [Fact]
    public void FromSocketAddress_SizeCutDown_DoesNotReadTheOldBytes()
    {
        var socketAddress = new IPEndPoint(IPAddress.IPv6Loopback, 5).Serialize();
        socketAddress.Size = 16;
        Assert.False(UdpEndPoint.TryFromSocketAddress(socketAddress, out _));
    }

    [Fact]
    public void Conversions_NullOrDefault_AreRefused()
    {
        Assert.False(UdpEndPoint.TryFromSocketAddress(null, out _));
        Assert.Throws<ArgumentNullException>(() => UdpEndPoint.FromSocketAddress(null!));
        Assert.Throws<ArgumentNullException>(() => UdpEndPoint.FromIPEndPoint(null!));
        Assert.Throws<InvalidOperationException>(() => default(UdpEndPoint).ToIPEndPoint());
        Assert.Throws<InvalidOperationException>(() => default(UdpEndPoint).ToSocketAddress());
    }

    private static void Scribble(ref UdpEndPoint endPoint, int startByte, int endByte) =>
        MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref endPoint, 1))[startByte..endByte].Fill(0xA5);
}
