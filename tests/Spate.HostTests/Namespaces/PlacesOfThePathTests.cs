using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.HostTests.Namespaces;

/// <summary>
/// A loss at a router between two namespaces, which neither of them counts: the verdict says so, and what helps. Other
/// traffic in the receiver's network does not turn it into a loss of the receiving host.
/// </summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class PlacesOfThePathTests : IDisposable
{
    private const string RouterAddress = "10.77.0.254";
    private const int FrameBytes = 60;

    // An EtherType for experiments (IEEE 802), which no protocol of the kernel takes.
    private const ushort UnknownEtherType = 0x88B5;

    private readonly TestPair _pair = new(isJoined: false);
    private readonly NetworkNamespace _router = new();

    public PlacesOfThePathTests()
    {
        NetworkNamespace.Join(_router, "10.78.0.254/24", _pair.Client, "10.78.0.2/24");
        _router.Ip("link set veth0 down");
        _router.Ip("link set veth0 name veth1");
        _router.Ip("link set veth1 up");
        NetworkNamespace.Join(_router, RouterAddress + "/24", _pair.Server, TestPair.ServerAddress + "/24");
        _router.Execute("sh -c \"echo 1 >/proc/sys/net/ipv4/ip_forward\"");
        _router.Ip("route add 239.0.0.0/8 dev veth0");
        _pair.Client.Ip("route add default via 10.78.0.254");
        _pair.Server.Ip($"route add default via {RouterAddress}");
    }

    public void Dispose()
    {
        _router.Dispose();
        _pair.Dispose();
    }

    [Fact]
    public void Test_QueueOfARouterBetween_NamesThePath()
    {
        Programs.Require("tc", "iproute2");
        _router.Execute("tc qdisc add dev veth0 root tbf rate 10mbit burst 10000 limit 60000");
        TestClientOptions options = TestPair.Plain.Asking(test =>
        {
            test.DatagramsPerSecond = 10_000;
            test.Seconds = TestPair.RateSeconds;
        });

        TestDirectionReport one = _pair.RunOne(options);

        TestPair.AllLostAt("path", "between the two hosts, where neither end has counters", one.Remedy, one);
        _pair.RunWithRemedy(options, one.Remedy);
    }

    [Theory]
    [InlineData(false, 60, "packets of the receiving host vanished between IP and UDP, which may be other traffic")]
    [InlineData(true, 30, "packets (rx_dropped), which may be other traffic")]
    public void Test_RouterDropsOneOfAHundredBesideOtherTraffic_NamesNoPlace(bool isFrames, int count, string verdict)
    {
        _router.RequireNft();
        _router.AddRule("ip", "hook forward priority 0", "udp length 1008 numgen inc mod 100 == 0 drop");
        byte[] frame = isFrames ? UnknownFrame() : new byte[FrameBytes];
        EndPoint target = isFrames
            ? new InterfaceEndPoint(IndexOfLink())
            : new IPEndPoint(IPAddress.Parse("239.255.255.250"), 1900);
        using Socket socket = _router.Enter(() => isFrames
            ? new Socket(AddressFamily.Packet, SocketType.Raw, ProtocolType.Unspecified)
            : new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp));
        int intervals = 0;
        void MakeNoise()
        {
            if (++intervals > 1) return;

            for (int i = 0; i < count; i++) socket.SendTo(frame, target);
        }

        TestDirectionReport quiet = _pair.RunOne(TestPair.Plain);
        TestDirectionReport noisy = Assert.Single(_pair.Run(
            TestPair.Plain.Asking(static test => test.IntervalSeconds = 0.1), onInterval: MakeNoise).Directions);

        TestPair.AllLostAt("path", "between the two hosts, where neither end has counters", quiet.Remedy, quiet);
        Assert.SkipWhen(noisy.LostWhere["senderApplication"] > 0, "the sender cannot keep the rate");
        Assert.NotEqual(0, noisy.Lost);
        Assert.Equal(noisy.Lost, noisy.Unexplained);
        Assert.Contains(verdict, noisy.Verdict, StringComparison.Ordinal);
        Assert.Null(noisy.Remedy);
    }

    private static byte[] UnknownFrame()
    {
        byte[] frame = new byte[FrameBytes];
        frame.AsSpan(0, 6).Fill(0xFF);
        frame[6] = 2;
        BinaryPrimitives.WriteUInt16BigEndian(frame.AsSpan(12), UnknownEtherType);
        return frame;
    }

    private int IndexOfLink() =>
        int.Parse(_router.Execute("cat /sys/class/net/veth0/ifindex"), CultureInfo.InvariantCulture);

    /// <summary>A link as the target of frames: sockaddr_ll of packet(7), of which the index is enough.</summary>
    private sealed class InterfaceEndPoint(int index) : EndPoint
    {
        private const int SizeBytes = 20;
        private const int IndexOffset = 4;

        public override AddressFamily AddressFamily => AddressFamily.Packet;

        public override SocketAddress Serialize()
        {
            var address = new SocketAddress(AddressFamily.Packet, SizeBytes);
            BinaryPrimitives.WriteInt32LittleEndian(address.Buffer.Span[IndexOffset..], index);
            return address;
        }
    }
}
