using System.Net;
using System.Net.NetworkInformation;
using System.Text;

namespace Spate.Tests;

public sealed partial class UdpEndPointTests
{
    [Theory]
    [InlineData("1.2.3.4:9999", "1.2.3.4", 9999)]
    [InlineData("255.255.255.255:65535", "255.255.255.255", 65535)]
    [InlineData("0.0.0.0:0", "0.0.0.0", 0)]
    [InlineData("1.2.3.4", "1.2.3.4", 0)]
    [InlineData("[::1]:9999", "::1", 9999)]
    [InlineData("[::1]", "::1", 0)]
    [InlineData("::1", "::1", 0)]
    [InlineData("::", "::", 0)]
    [InlineData("::1:9999", "::1:9999", 0)]
    [InlineData("[FE80::00Aa%3]:53", "fe80::aa%3", 53)]
    [InlineData("fe80::1%4294967295", "fe80::1%4294967295", 0)]
    [InlineData("[fe80::1%0]:53", "fe80::1", 53)]
    [InlineData("[1:2:3:4:5:6:7:8]:1", "1:2:3:4:5:6:7:8", 1)]
    [InlineData("[::ffff:1.2.3.4]:5", "1.2.3.4", 5)]
    [InlineData("[64:ff9b::1.2.3.4]:5", "64:ff9b::102:304", 5)]
    public void Parse_GoodText_ReadsTheSameFromEveryForm(string text, string address, int port)
    {
        UdpEndPoint expected = new(IPAddress.Parse(address), port);
        Assert.Equal(expected, UdpEndPoint.Parse(text));
        Assert.Equal(expected, UdpEndPoint.Parse(text.AsSpan()));
        Assert.Equal(expected, UdpEndPoint.Parse(Encoding.UTF8.GetBytes(text)));
        Assert.True(UdpEndPoint.TryParse(text, out UdpEndPoint fromString));
        Assert.True(UdpEndPoint.TryParse(text.AsSpan(), out UdpEndPoint fromChars));
        Assert.True(UdpEndPoint.TryParse(Encoding.UTF8.GetBytes(text), out UdpEndPoint fromUtf8));
        Assert.Equal([expected, expected, expected], new[] { fromString, fromChars, fromUtf8 });
    }

    [Theory]
    [InlineData("", "empty")]
    [InlineData(" 1.2.3.4:5", "blanks")]
    [InlineData("1.2.3.4:5 ", "blanks")]
    [InlineData("[::1]:5\n", "blanks")]
    [InlineData("1.2.3.4:5\u00A0", "blanks")]
    [InlineData("1.2.3.4: 5", "a port is")]
    [InlineData("1.2.3.4:", "a port is")]
    [InlineData("1.2.3.4:65536", "a port is")]
    [InlineData("1.2.3.4:99999999999999999999", "a port is")]
    [InlineData("1.2.3.4:-1", "a port is")]
    [InlineData("1.2.3.4:+1", "a port is")]
    [InlineData("1.2.3.4:080", "a port is")]
    [InlineData("1.2.3.4:0x50", "a port is")]
    [InlineData("1.2.3.4:80\0", "a port is")]
    [InlineData("1.2.3.4:\uFF15", "a port is")]
    [InlineData("1.2.3.4:\u0665", "a port is")]
    [InlineData("[::1]:", "a port is")]
    [InlineData("[::1]:65536", "a port is")]
    [InlineData(":80", "an IPv4 address is")]
    [InlineData("1", "an IPv4 address is")]
    [InlineData("1.2.3:80", "an IPv4 address is")]
    [InlineData("1.2.3.4.5:80", "an IPv4 address is")]
    [InlineData("1.2.3.:80", "an IPv4 address is")]
    [InlineData("1..3.4:80", "an IPv4 address is")]
    [InlineData("1.2.3.256:80", "an IPv4 address is")]
    [InlineData("0x7f.1:80", "an IPv4 address is")]
    [InlineData("0x7f.0.0.1:80", "an IPv4 address is")]
    [InlineData("010.0.0.1:80", "an IPv4 address is")]
    [InlineData("2130706433", "an IPv4 address is")]
    [InlineData("1.2.3.\u0664:80", "an IPv4 address is")]
    [InlineData("1.2.3.4\0:80", "an IPv4 address is")]
    [InlineData("1.2.3.4%1:80", "an IPv4 address is")]
    [InlineData("localhost:80", "host names are not resolved here")]
    [InlineData("example.org", "Dns.GetHostAddressesAsync")]
    [InlineData("0x7f.1", "an IPv4 address is")]
    [InlineData("1.2.3.4:80:90", "an IPv6 address is")]
    [InlineData("[1.2.3.4]:80", "an IPv6 address is")]
    [InlineData("[]:80", "an IPv6 address is")]
    [InlineData("[:]:80", "an IPv6 address is")]
    [InlineData("[:::]:80", "an IPv6 address is")]
    [InlineData("[::1::]:80", "an IPv6 address is")]
    [InlineData("[1:2:3:4:5:6:7]:80", "an IPv6 address is")]
    [InlineData("[1:2:3:4:5:6:7:8:9]:80", "an IPv6 address is")]
    [InlineData("[1:2:3:4:5:6:7:8::]:80", "an IPv6 address is")]
    [InlineData("[::12345]:80", "an IPv6 address is")]
    [InlineData("[::00001]:80", "an IPv6 address is")]
    [InlineData("[::g]:80", "an IPv6 address is")]
    [InlineData("[::1\0]:80", "an IPv6 address is")]
    [InlineData("[::1/64]:80", "an IPv6 address is")]
    [InlineData("[[::1]]:80", "an IPv6 address is")]
    [InlineData("[ ::1]:80", "an IPv6 address is")]
    [InlineData("[::0x1]:80", "an IPv6 address is")]
    [InlineData("[::\uFF11]:80", "an IPv6 address is")]
    [InlineData("[::ffff:1.2.3]:80", "an IPv6 address is")]
    [InlineData("[::ffff:1.2.3.04]:80", "an IPv6 address is")]
    [InlineData("[1.2.3.4::]:80", "an IPv6 address is")]
    [InlineData("[1:2:3:4:5:6:7:1.2.3.4]:80", "an IPv6 address is")]
    [InlineData("[::1", "after '['")]
    [InlineData("[::1]80", "after '['")]
    [InlineData("[::1] :80", "after '['")]
    [InlineData("[fe80::1%]:80", "scope")]
    [InlineData("[fe80::1%4294967296]:80", "scope")]
    [InlineData("[fe80::1%-1]:80", "scope")]
    [InlineData("[fe80::1%1\0]:80", "scope")]
    [InlineData("[fe80::1%no such interface]:80", "scope")]
    [InlineData("[fe80::1%1%1]:80", "scope")]
    [InlineData("[::ffff:1.2.3.4%1]:80", "no scope")]
    public void Parse_BadText_SaysWhatIsWrong(string text, string expectedFault)
    {
        Assert.False(UdpEndPoint.TryParse(text, out UdpEndPoint endPoint));
        Assert.True(endPoint.IsDefault);
        Assert.False(UdpEndPoint.TryParse(Encoding.UTF8.GetBytes(text), out _));
        string message = Assert.Throws<FormatException>(() => UdpEndPoint.Parse(text)).Message;
        Assert.Contains(expectedFault, message);
        Assert.Contains("Expected 1.2.3.4:9999", message);
        Assert.DoesNotContain(message, character => character is < ' ' or > '~');
        byte[] utf8 = Encoding.UTF8.GetBytes(text);
        Assert.Equal(message, Assert.Throws<FormatException>(() => UdpEndPoint.Parse(utf8)).Message);
    }

    [Fact]
    public void Interfaces_OfTheFramework_ReadAndWriteTheSameText()
    {
        const string text = "[fe80::1%3]:53";
        var expected = UdpEndPoint.Parse(text);
        Assert.Equal(expected, Read<UdpEndPoint>(text));
        Assert.Equal(expected, ReadUtf8<UdpEndPoint>(Encoding.UTF8.GetBytes(text)));
        Assert.Equal(text, string.Create(null, $"{expected}"));
        byte[] utf8 = new byte[64];
        Assert.True(System.Text.Unicode.Utf8.TryWrite(utf8, $"{expected}", out int written));
        Assert.Equal(text, Encoding.UTF8.GetString(utf8, 0, written));

        static T Read<T>(string text)
            where T : ISpanParsable<T>
        {
            Assert.True(T.TryParse(text, null, out T? fromString));
            Assert.True(T.TryParse(text.AsSpan(), null, out T? fromChars));
            Assert.Equal([T.Parse(text, null), T.Parse(text.AsSpan(), null)], new[] { fromString, fromChars });
            return fromString;
        }

        static T ReadUtf8<T>(byte[] text)
            where T : IUtf8SpanParsable<T>
        {
            Assert.True(T.TryParse(text, null, out T? result));
            Assert.Equal(T.Parse(text, null), result);
            return result;
        }
    }

    [Fact]
    public void Parse_HugeText_IsRefusedWithAShortMessage()
    {
        foreach (string text in new[] { new('1', 1_000_000), $"[{new string(':', 1_000_000)}]:1", new('[', 400) })
        {
            string message = Assert.Throws<FormatException>(() => UdpEndPoint.Parse(text)).Message;
            Assert.Contains("too long", message);
            Assert.InRange(message.Length, 1, 1000);
            Assert.False(UdpEndPoint.TryParse(Encoding.UTF8.GetBytes(text), out _));
        }

        Assert.False(UdpEndPoint.TryParse($"[fe80::1%{new string('x', 257)}]:1", out _));
    }

    [Theory]
    [InlineData("aaaaaaaaaaaaaaa")]
    [InlineData("aaaaaaaaaaaaaaaa")]
    [InlineData("00000000000000007")]
    [InlineData("lo/")]
    [InlineData("lo\0")]
    [InlineData("l o")]
    [InlineData("\u00E4\u00F6\u00FC\u00E4\u00F6\u00FC\u00E4\u00F6")]
    public void TryParse_ZoneOfAStranger_CostsNoListOfInterfaces(string zone)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux answers for one name");
        const int count = 100;
        string text = $"[fe80::1%{zone}]:53";
        bool any = UdpEndPoint.TryParse(text, out _);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < count; i++) any |= UdpEndPoint.TryParse(text, out _);

        // The address before the zone is allocated, and so are boxes of numbers while the code is not optimised yet. A
        // list of interfaces takes kilobytes.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, count * 500);
        Assert.False(any);
    }

    [Fact]
    public void Parse_NullOrInvalidUtf8_IsRefused()
    {
        Assert.Throws<ArgumentNullException>("s", () => UdpEndPoint.Parse((string)null!));
        Assert.False(UdpEndPoint.TryParse((string?)null, out _));
        byte[] invalid = [(byte)'1', 0xFF, 0xC0];
        Assert.False(UdpEndPoint.TryParse(invalid, out _));
        Assert.Contains("UTF-8", Assert.Throws<FormatException>(() => UdpEndPoint.Parse(invalid)).Message);
    }

    [Fact]
    public void Parse_InterfaceName_BecomesItsNumber()
    {
        Assert.SkipWhen(
            OperatingSystem.IsWindows(),
            "Windows wants a name such as ethernet_32769, which NetworkInterface does not have");
        NetworkInterface? loopback = NetworkInterface.GetAllNetworkInterfaces()
            .FirstOrDefault(candidate => candidate.NetworkInterfaceType == NetworkInterfaceType.Loopback);
        Assert.SkipUnless(loopback is not null, "this host shows no loopback interface");
        var expected = (uint)loopback.GetIPProperties().GetIPv6Properties().Index;
        UdpEndPoint endPoint = UdpEndPoint.Parse($"[fe80::1%{loopback.Name}]:53");
        Assert.Equal(expected, endPoint.ScopeId);
        Assert.Equal($"[fe80::1%{expected}]:53", endPoint.ToString());
        Assert.Equal(endPoint, UdpEndPoint.Parse($"fe80::1%{loopback.Name}").WithPort(53));
        Assert.False(UdpEndPoint.TryParse($"[fe80::1%{loopback.Name}x]:53", out _));
    }

    [Theory]
    [InlineData("1.2.3.4:9999")]
    [InlineData("0.0.0.0:0")]
    [InlineData("255.255.255.255:65535")]
    [InlineData("[::]:0")]
    [InlineData("[::1]:9999")]
    [InlineData("[1::]:1")]
    [InlineData("[1:0:0:2::3]:1")]
    [InlineData("[1::2:0:0:3]:1")]
    [InlineData("[1:0:2:3:4:5:6:7]:1")]
    [InlineData("[0:1:2:3:4:5:6:7]:1")]
    [InlineData("[1:2:3:4:5:6:7:0]:1")]
    [InlineData("[0:1::]:1")]
    [InlineData("[::0.1.0.0]:1")]
    [InlineData("[2001:db8::ab:c0d]:1")]
    [InlineData("[64:ff9b::102:304]:1")]
    [InlineData("[::5efe:1.2.3.4]:1")]
    [InlineData("[fe80::1%3]:53")]
    [InlineData("[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295]:65535")]
    public void TryFormat_AnyRoom_WritesAllOrNothing(string text)
    {
        UdpEndPoint endPoint = UdpEndPoint.Parse(text);
        Assert.Equal(text, endPoint.ToString());
        Assert.Equal(text, $"{endPoint}");
        for (int room = 0; room <= text.Length + 1; room++)
        {
            bool fits = room >= text.Length;
            char[] chars = new char[room];
            Assert.Equal(fits, endPoint.TryFormat(chars, out int charsWritten));
            Assert.Equal(fits ? text : "", new string(chars, 0, charsWritten));
            byte[] utf8 = new byte[room];
            Assert.Equal(fits, endPoint.TryFormat(utf8, out int bytesWritten));
            Assert.Equal(fits ? text : "", Encoding.UTF8.GetString(utf8, 0, bytesWritten));
            Assert.True(fits || (chars.All(value => value == 0) && utf8.All(value => value == 0)));
        }
    }

    [Fact]
    public void ComparisonAndHash_BothFamilies_AllocateNothing()
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
    public void TryFormat_BothFamilies_AllocatesNoMoreThanTheAddress()
    {
        UdpEndPoint ipv4 = UdpEndPoint.Parse("1.2.3.4:9999");
        UdpEndPoint ipv6 = UdpEndPoint.Parse("[fe80::1%3]:53");
        const int count = 100;
        var kept = new object[2];

        // The addresses escape, or the compiler may make them without allocating (.NET 10), depending on its tier.
        long expected = Allocated(count, () =>
        {
            (kept[0], kept[1]) = (ipv4.Address.ToIPAddress(), ipv6.Address.ToIPAddress());
            return kept.Length;
        });
        long actual = Allocated(count, () =>
        {
            Span<char> chars = stackalloc char[64];
            return ipv4.TryFormat(chars, out int first) && ipv6.TryFormat(chars, out int second) ? first + second : 0;
        });

        Assert.InRange(actual, 0, expected);
    }

    private static long Allocated(int count, Func<int> use)
    {
        int sink = use();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < count; i++) sink += use();
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.NotEqual(0, sink);
        return allocated;
    }

    private static int UseAll(in UdpEndPoint one, in UdpEndPoint other) =>
        one != other && one.GetHashCode() != other.GetHashCode() ? 1 : 0;
}
