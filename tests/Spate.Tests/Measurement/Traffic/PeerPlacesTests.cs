using System.Net;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

public sealed class PeerPlacesTests
{
    [Theory]
    [InlineData("192.0.2.2:40000", "127.0.0.1:9999")]
    [InlineData("192.0.2.2:40000", "127.7.7.7:9999")]
    [InlineData("[::1]:40000", "[::1]:9999")]
    [InlineData("192.0.2.2:40000", "0.0.0.0:9999")]
    [InlineData("192.0.2.2:40000", "192.0.2.2:9999")]
    [InlineData("[2001:db8::2]:40000", "[2001:db8::2]:9999")]
    [InlineData("127.0.0.1:9999", null)]
    [InlineData("[::1]:9999", null)]
    public void Of_PeerOfThisHost_IsKnown(string local, string? remote) =>
        Assert.Equal(PeerPlace.ThisHost, PeerPlaces.Of([End(local, remote)], Own()));

    [Theory]
    [InlineData("192.0.2.2:40000", "192.0.2.3:9999")]
    [InlineData("127.0.0.1:40000", "192.0.2.3:9999")]
    [InlineData("[2001:db8::2]:40000", "[2001:db8::3]:9999")]
    [InlineData("192.0.2.2:40000", "239.1.1.1:9999")]
    [InlineData("192.0.2.2:40000", "255.255.255.255:9999")]
    public void Of_PeerOfAnotherHost_IsElsewhere(string local, string remote) =>
        Assert.Equal(PeerPlace.Elsewhere, PeerPlaces.Of([End(local, remote)], Own()));

    [Theory]
    [InlineData("0.0.0.0:9999")]
    [InlineData("[::]:9999")]
    [InlineData("192.0.2.2:9999")]
    [InlineData("239.1.1.1:9999")]
    public void Of_AnyoneMaySend_IsUnknown(string local) =>
        Assert.Equal(PeerPlace.Unknown, PeerPlaces.Of([End(local, remote: null)], Own()));

    [Fact]
    public void Of_OneOfSeveralTargetsOnAnotherHost_IsElsewhere()
    {
        (UdpEndPoint Local, UdpEndPoint Remote) near = End("127.0.0.1:40000", "127.0.0.1:9999");

        Assert.Equal(PeerPlace.ThisHost, PeerPlaces.Of([near, near], Own()));
        Assert.Equal(PeerPlace.Elsewhere, PeerPlaces.Of([near, End("192.0.2.2:40000", "192.0.2.3:9999")], Own()));
    }

    [Fact]
    public void Of_Loopback_ReadsNoInterfaces()
    {
        Lazy<IReadOnlySet<IPAddress>> own = Own();

        _ = PeerPlaces.Of([End("127.0.0.1:9999", remote: null), End("127.0.0.1:4000", "127.0.0.1:9999")], own);

        Assert.False(own.IsValueCreated);
    }

    [Fact]
    public void IsThisHost_NoAddress_IsFalse() => Assert.False(PeerPlaces.IsThisHost(default, Own()));

    private static (UdpEndPoint Local, UdpEndPoint Remote) End(string local, string? remote) =>
        (UdpEndPoint.Parse(local), remote is null ? default : UdpEndPoint.Parse(remote));

    private static Lazy<IReadOnlySet<IPAddress>> Own() => new(static () => new HashSet<IPAddress>
    {
        IPAddress.Loopback, IPAddress.IPv6Loopback, IPAddress.Parse("192.0.2.2"), IPAddress.Parse("2001:db8::2"),
    });
}
