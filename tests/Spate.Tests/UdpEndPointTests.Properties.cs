using System.Net;
using FsCheck;
using FsCheck.Fluent;

namespace Spate.Tests;

public sealed partial class UdpEndPointTests
{
    private static Gen<UdpEndPoint> EndPoints =>
        from address in Gen.OneOf(AddressBytes(4), AddressBytes(16))
        from port in Gen.OneOf(Gen.Choose(0, IPEndPoint.MaxPort), Gen.Elements(0, 1, IPEndPoint.MaxPort))
        from scope in Gen.Elements(0L, 1L, 42L, uint.MaxValue)
        select new UdpEndPoint(
            address.Length == 4 ? new IPAddress(address) : new IPAddress(address, scope), port);

    // Text that is nearly right: pieces of endpoints in any order.
    private static Gen<string> NearlyEndPoints =>
        from count in Gen.Choose(0, 12)
        from pieces in Gen.Elements(
            "[", "]", ":", "::", ".", "%", "0", "1", "00", "255", "256", "ffff", "fe80", "1.2.3.4", "65535", "65536",
            "lo", " ", "\0", "x", "\u0663", "\uD800", "[::1]", ":80").ArrayOf(count)
        select string.Concat(pieces);

    [Fact]
    public void Parse_FormattedText_GivesTheEndPointBack() =>
        PropertyCheck.Hold(EndPoints, endPoint => UdpEndPoint.Parse(endPoint.ToString()) == endPoint);

    [Fact]
    public void ToIPEndPoint_ThereAndBack_IsTheSame() =>
        PropertyCheck.Hold(EndPoints, endPoint => UdpEndPoint.FromIPEndPoint(endPoint.ToIPEndPoint()) == endPoint
            && UdpEndPoint.FromSocketAddress(endPoint.ToSocketAddress()) == endPoint
            && endPoint.ToIPEndPoint().Serialize().Equals(endPoint.ToSocketAddress()));

    [Fact]
    public void Normalize_MappedForm_GivesTheEndPointBack() =>
        PropertyCheck.Hold(EndPoints, endPoint =>
        {
            UdpEndPoint mapped = endPoint.ToMapped();
            UdpEndPoint.Normalize(ref mapped);
            return mapped == endPoint && mapped.GetHashCode() == endPoint.GetHashCode();
        });

    [Fact]
    public void ToString_Address_IsTheFrameworksText() =>
        PropertyCheck.Hold(EndPoints, endPoint => string.Equals(
            endPoint.ToString(), endPoint.ToIPEndPoint().ToString(), StringComparison.Ordinal));

    [Fact]
    public void TryParse_NearlyAnEndPoint_IsNeverMoreLenientThanTheFramework() =>
        PropertyCheck.Hold(NearlyEndPoints, text =>
        {
            if (!UdpEndPoint.TryParse(text, out UdpEndPoint endPoint)) return endPoint.IsDefault;
            if (text.Contains("%lo", StringComparison.Ordinal)) return endPoint.ScopeId != 0;
            return IPEndPoint.TryParse(text, out IPEndPoint? framework)
                && UdpEndPoint.FromIPEndPoint(framework) == endPoint
                && UdpEndPoint.Parse(endPoint.ToString()) == endPoint;
        });

    // Zeros are likely, so that runs of them are; otherwise hardly any address would have one.
    private static Gen<byte[]> AddressBytes(int count) =>
        Gen.OneOf(Gen.Constant((byte)0), Gen.Choose(0, 255).Select(value => (byte)value), Gen.Constant((byte)255))
            .ArrayOf(count);
}
