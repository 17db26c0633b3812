using Spate.Testing;

namespace Spate.Tests.Testing;

/// <summary>The values of tests: equal by their bytes, and shown in the messages of failed assertions.</summary>
public sealed class IncomingDatagramTests
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:40000");

    [Fact]
    public void Equals_EachMember_Counts()
    {
        IncomingDatagram one = new(Peer, [1]);

        Assert.Equal(one, new IncomingDatagram(Peer, [1]));
        Assert.Equal(one.GetHashCode(), new IncomingDatagram(Peer, [1]).GetHashCode());
        Assert.All(
            (IncomingDatagram[])[
                new(Peer, [2]), new(UdpEndPoint.Loopback(1), [1]), one with { LocalAddress = Peer.Address },
                one with { LocalEndPointIndex = 1 },
                one with { InterfaceIndex = 1 }, one with { TrafficClass = 1 }, one with { TimeToLive = 1 },
                one with { TimestampUnixNanoseconds = 1 }, one with { IsTruncated = true },
            ],
            other => Assert.NotEqual(one, other));
        SentDatagram sent = new(Peer, [1]);
        Assert.Equal(sent.GetHashCode(), new SentDatagram(Peer, [1]).GetHashCode());
        Assert.All(
            (SentDatagram[])[
                new(Peer, [2]), new(UdpEndPoint.Loopback(1), [1]), sent with { LocalEndPointIndex = 1 },
                sent with { Control = new SendControl { TimeToLive = 1 } },
            ],
            other => Assert.NotEqual(sent, other));
    }

    [Fact]
    public void ToString_OfADatagram_ShowsThePeerAndTheBytes()
    {
        Assert.Equal(
            "IncomingDatagram { Peer = 192.0.2.1:40000, Payload = 2 bytes 0x01FF, TimeToLive = 3, IsTruncated = True }",
            new IncomingDatagram(Peer, [1, 255]) { TimeToLive = 3, IsTruncated = true }.ToString());
        Assert.Equal(
            $"SentDatagram {{ Peer = {Peer}, Payload = 65 bytes 0x{new string('0', 128)}..., LocalEndPointIndex = 1 }}",
            new SentDatagram(Peer, new byte[65]) { LocalEndPointIndex = 1 }.ToString());
        Assert.Equal(
            "SentDatagram { Peer = 192.0.2.1:40000, Payload = 0 bytes }", new SentDatagram(Peer, []).ToString());
    }

    [Fact]
    public void Constructor_NoPeerOrTooLong_Refused()
    {
        Assert.Throws<ArgumentException>(() => new IncomingDatagram(default, [1]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new IncomingDatagram(Peer, new byte[65_528]));
    }

    [Fact]
    public void Init_MetadataOutOfRange_Refused()
    {
        IncomingDatagram one = new(Peer, [1]);

        Refused("TimeToLive must be from 0 to 255, or null", () => one with { TimeToLive = 256 });
        Refused("TrafficClass must be from 0 to 255, or null", () => one with { TrafficClass = -1 });
        Refused("InterfaceIndex must be from 1 to 2147483647, or null", () => one with { InterfaceIndex = 0 });
        Refused(
            "LocalAddress ::1 must be of the family of the peer 192.0.2.1:40000, or default",
            () => one with { LocalAddress = UdpAddress.Parse("::1") });

        static void Refused(string expected, Func<object> make) => Assert.StartsWith(
            expected, Assert.ThrowsAny<ArgumentException>(make).Message, StringComparison.Ordinal);
    }
}
