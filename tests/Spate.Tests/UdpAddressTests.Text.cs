using System.Net;
using System.Text;
using FsCheck;
using FsCheck.Fluent;

namespace Spate.Tests;

public sealed partial class UdpAddressTests
{
    private static Gen<UdpAddress> Addresses =>
        from bytes in Gen.OneOf(AddressBytes(4), AddressBytes(16))
        from scope in Gen.Elements(0L, 1L, 42L, uint.MaxValue)
        select UdpAddress.FromIPAddress(bytes.Length == 4 ? new IPAddress(bytes) : new IPAddress(bytes, scope));

    // Text that is nearly right: pieces of addresses in any order.
    private static Gen<string> NearlyAddresses =>
        from count in Gen.Choose(0, 12)
        from pieces in Gen.Elements(
            "[", "]", ":", "::", ".", "%", "0", "1", "00", "255", "256", "ffff", "fe80", "1.2.3.4", "lo", " ", "\0",
            "x", "\u0663", "\uD800", "::1", ":80").ArrayOf(count)
        select string.Concat(pieces);

    [Theory]
    [InlineData("1.2.3.4", "1.2.3.4")]
    [InlineData("::", "::")]
    [InlineData("FE80::00Aa%3", "fe80::aa%3")]
    [InlineData("fe80::1%0", "fe80::1")]
    [InlineData("::ffff:1.2.3.4", "1.2.3.4")]
    [InlineData("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295")]
    public void Parse_GoodText_ReadsTheSameFromEveryForm(string text, string written)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(text);
        UdpAddress expected = UdpAddress.FromIPAddress(IPAddress.Parse(text));
        Assert.Equal(expected, UdpAddress.Parse(text));
        Assert.Equal(expected, UdpAddress.Parse(text.AsSpan()));
        Assert.Equal(expected, UdpAddress.Parse(utf8));
        Assert.True(UdpAddress.TryParse(text, out UdpAddress fromString));
        Assert.True(UdpAddress.TryParse(text.AsSpan(), out UdpAddress fromChars));
        Assert.True(UdpAddress.TryParse(utf8, out UdpAddress fromUtf8));
        Assert.Equal([expected, expected, expected], new[] { fromString, fromChars, fromUtf8 });
        Assert.Equal(written, expected.ToString());
    }

    [Theory]
    [InlineData("", "empty")]
    [InlineData(" 1.2.3.4", "blanks")]
    [InlineData("::1\n", "blanks")]
    [InlineData("1.2.3.4:5", "no port")]
    [InlineData("localhost:80", "no port")]
    [InlineData("[::1]", "no brackets")]
    [InlineData("[::1]:5", "no brackets")]
    [InlineData("1", "an IPv4 address is")]
    [InlineData("010.0.0.1", "an IPv4 address is")]
    [InlineData("1.2.3.4%1", "an IPv4 address is")]
    [InlineData("localhost", "host names are not resolved here")]
    [InlineData(":::", "an IPv6 address is")]
    [InlineData("::1]", "an IPv6 address is")]
    [InlineData("::1\0", "an IPv6 address is")]
    [InlineData("fe80::1%", "scope")]
    [InlineData("fe80::1%no such interface", "scope")]
    [InlineData("::ffff:1.2.3.4%1", "no scope")]
    public void Parse_BadText_SaysWhatIsWrong(string text, string expectedFault)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(text);
        Assert.False(UdpAddress.TryParse(text, out UdpAddress address));
        Assert.True(address.IsDefault);
        Assert.False(UdpAddress.TryParse(utf8, out _));
        string message = Assert.Throws<FormatException>(() => UdpAddress.Parse(text)).Message;
        Assert.Contains(expectedFault, message);
        Assert.Contains("is not a UDP address: ", message);
        Assert.Contains("Expected 1.2.3.4, ::1", message);
        Assert.Equal(message, Assert.Throws<FormatException>(() => UdpAddress.Parse(utf8)).Message);
    }

    [Fact]
    public void Parse_NullInvalidUtf8OrHuge_IsRefused()
    {
        Assert.Throws<ArgumentNullException>("s", () => UdpAddress.Parse((string)null!));
        Assert.False(UdpAddress.TryParse((string?)null, out _));
        byte[] invalid = [(byte)'1', 0xFF, 0xC0];
        Assert.False(UdpAddress.TryParse(invalid, out _));
        Assert.Contains("UTF-8", Assert.Throws<FormatException>(() => UdpAddress.Parse(invalid)).Message);
        string huge = new(':', 1_000_000);
        Assert.Contains("too long", Assert.Throws<FormatException>(() => UdpAddress.Parse(huge)).Message);
        Assert.False(UdpAddress.TryParse(Encoding.UTF8.GetBytes(huge), out _));
    }

    [Fact]
    public void Interfaces_OfTheFramework_ReadAndWriteTheSameText()
    {
        const string text = "fe80::1%3";
        var expected = UdpAddress.Parse(text);
        Assert.Equal(expected, Read<UdpAddress>(text));
        Assert.Equal(text, string.Create(null, $"{expected}"));
        byte[] utf8 = new byte[64];
        Assert.True(System.Text.Unicode.Utf8.TryWrite(utf8, $"{expected}", out int written));
        Assert.Equal(text, Encoding.UTF8.GetString(utf8, 0, written));

        static T Read<T>(string text)
            where T : ISpanParsable<T>, IUtf8SpanParsable<T>
        {
            byte[] utf8 = Encoding.UTF8.GetBytes(text);
            Assert.True(T.TryParse(text, null, out T? fromString));
            Assert.True(T.TryParse(text.AsSpan(), null, out T? fromChars));
            Assert.True(T.TryParse(utf8, null, out T? fromUtf8));
            Assert.Equal(
                [T.Parse(text, null), T.Parse(text.AsSpan(), null), T.Parse(utf8, null)],
                new[] { fromString, fromChars, fromUtf8 });
            return fromString;
        }
    }

    [Theory]
    [InlineData("1.2.3.4")]
    [InlineData("::")]
    [InlineData("fe80::1%3")]
    public void TryFormat_AnyRoom_WritesAllOrNothing(string text)
    {
        UdpAddress address = UdpAddress.Parse(text);
        for (int room = 0; room <= text.Length + 1; room++)
        {
            bool fits = room >= text.Length;
            char[] chars = new char[room];
            Assert.Equal(fits, address.TryFormat(chars, out int charsWritten));
            Assert.Equal(fits ? text : "", new string(chars, 0, charsWritten));
            byte[] utf8 = new byte[room];
            Assert.Equal(fits, address.TryFormat(utf8, out int bytesWritten));
            Assert.Equal(fits ? text : "", Encoding.UTF8.GetString(utf8, 0, bytesWritten));
            Assert.True(fits || (chars.All(value => value == 0) && utf8.All(value => value == 0)));
        }
    }

    [Fact]
    public void Parse_FormattedText_GivesTheAddressBack() =>
        PropertyCheck.Hold(Addresses, address => UdpAddress.Parse(address.ToString()) == address
            && string.Equals(address.ToString(), address.ToIPAddress().ToString(), StringComparison.Ordinal));

    [Fact]
    public void Conversions_ThereAndBack_AreTheSame() =>
        PropertyCheck.Hold(Addresses, address =>
        {
            Span<byte> bytes = stackalloc byte[16];
            return address.TryWriteBytes(bytes, out int written)
                && new UdpAddress(bytes[..written], address.ScopeId) == address
                && UdpAddress.FromIPAddress(address.ToIPAddress()) == address
                && new UdpEndPoint(address, 53).Address == address
                && new UdpEndPoint(address, 53) == new UdpEndPoint(address.ToIPAddress(), 53);
        });

    [Fact]
    public void TryParse_NearlyAnAddress_IsNeverMoreLenientThanTheFramework() =>
        PropertyCheck.Hold(NearlyAddresses, text =>
        {
            if (!UdpAddress.TryParse(text, out UdpAddress address)) return address.IsDefault;
            if (text.Contains("%lo", StringComparison.Ordinal)) return address.ScopeId != 0;
            return IPAddress.TryParse(text, out IPAddress? framework)
                && UdpAddress.FromIPAddress(framework) == address
                && UdpEndPoint.Parse(text) == new UdpEndPoint(address, 0);
        });

    // Zeros are likely, so that runs of them are; otherwise hardly any address would have one.
    private static Gen<byte[]> AddressBytes(int count) =>
        Gen.OneOf(Gen.Constant((byte)0), Gen.Choose(0, 255).Select(value => (byte)value), Gen.Constant((byte)255))
            .ArrayOf(count);
}
