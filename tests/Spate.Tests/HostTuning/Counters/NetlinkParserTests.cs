using Spate.HostTuning.Counters;
using Spate.Tests.HostTuning.Checks;
using static Spate.TestHelpers.Hosts.NetlinkBytes;

namespace Spate.Tests.HostTuning.Counters;

public sealed class NetlinkParserTests
{
    private const int StatisticsCount = 25;
    private const int Statistics64 = 23;
    private const int Basic = 1;
    private const int Held = 3;
    private const int Packets64 = 8;

    [Theory]
    [InlineData(StatisticsCount, 24L)]
    [InlineData(24, 24L)]
    [InlineData(23, null)] // before Linux 4.6
    public void Links_StatisticsOfAKernel_AreInTheirPlaces(int count, long? noHandler)
    {
        byte[] statistics = Numbers(Enumerable.Range(1, count).Select(one => (ulong)one));

        InterfaceCounters link = Assert.Single(Links(Link(7, "eth0", Attribute(Statistics64, statistics))));

        Assert.Equal(
            new InterfaceCounters("eth0", 7)
            {
                RxPackets = 1,
                TxPackets = 2,
                RxBytes = 3,
                TxBytes = 4,
                RxErrors = 5,
                TxErrors = 6,
                RxDropped = 7,
                TxDropped = 8,
                RxFifoErrors = 15,
                RxMissedErrors = 16,
                TxCarrierErrors = 18,
                TxFifoErrors = 19,
                RxNoHandler = noHandler,
            },
            link);
    }

    [Theory]
    [InlineData("eth0", "eth0")]
    [InlineData("a\\b", @"a\x5cb")]
    [InlineData("\u001b[31m\u0007", @"\x1b[31m\x07")]
    [InlineData("caf\u00e9 1", @"caf\xe9\x201")]
    [InlineData("fifteen-bytes-x", "fifteen-bytes-x")]
    public void Links_NameThatAUserChose_IsOneLineOfAscii(string name, string expected) =>
        Assert.Equal(expected, Assert.Single(Links(Link(1, name))).Name);

    [Fact]
    public void Links_WithoutAUsableName_AreLeftOut() =>
        Assert.Empty(Links([.. Link(1, ""), .. Link(2, "sixteen-bytes-xx")]));

    [Fact]
    public void Links_MoreThanTheBound_AreLeftOut()
    {
        byte[] reply = [.. Enumerable.Range(1, 20).SelectMany(index => Link(index, $"eth{index}"))];
        var links = new List<InterfaceCounters>();

        LinkParser.Add(reply, [], maxCount: 8, links);

        Assert.Equal(Enumerable.Range(1, 8), links.Select(one => one.Index));
    }

    [Fact]
    public void Links_StatisticsCutShort_AreNull() => Assert.Equal(
        new InterfaceCounters("eth0", 7), Assert.Single(Links(Link(7, "eth0", Attribute(Statistics64, 1, 2, 3)))));

    [Fact]
    public void Queues_EveryCounter_IsInItsPlace()
    {
        byte[] reply =
        [
            .. Queue(
                7, 0x8001_0000, 0xFFFF_FFFF, "tbf", Attribute(Basic, Numbers(1, 0, 0xFFFF_FFFE, 0)),
                Attribute(Held, Numbers(11, 12, 13, 14, 15))),
            .. Queue(
                7, 0x0010_0000, 0x8001_0010, "fq", Attribute(Basic, Numbers(1, 0, 5, 0)),
                Attribute(Packets64, Numbers(5, 1))),
            .. Queue(8, 1, 1, "other"),
        ];

        List<QueueCounters> queues = QueueParser.Parse(reply, [new InterfaceCounters("eth0", 7)], maxCount: 10);

        Assert.Equal(
            [
                new QueueCounters("eth0", "tbf", "8001:", "root")
                {
                    Packets = 0xFFFF_FFFE,
                    Qlen = 11,
                    BacklogBytes = 12,
                    Drops = 13,
                    Requeues = 14,
                    Overlimits = 15,
                },
                new QueueCounters("eth0", "fq", "10:", "8001:10") { Packets = 0x1_0000_0005 },
            ],
            queues);
    }

    [Fact]
    public void Queues_MoreThanTheBound_AreLeftOut()
    {
        byte[] reply = [.. Enumerable.Range(1, 20).SelectMany(handle => Queue(7, (uint)handle << 16, 1, "fq"))];

        Assert.Equal(8, QueueParser.Parse(reply, [new InterfaceCounters("eth0", 7)], maxCount: 8).Count);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(15)]
    [InlineData(10_000)]
    [InlineData(-1)]
    public void Messages_WrongLength_EndTheWalk(int length)
    {
        byte[] odd = Link(2, "eth1");
        BitConverter.GetBytes(length).CopyTo(odd, 0);

        Assert.Equal("eth0", Assert.Single(Links([.. Link(1, "eth0"), .. odd, .. Link(3, "eth2")])).Name);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(ushort.MaxValue)]
    public void Attributes_WrongLength_EndTheWalk(int length)
    {
        byte[] odd = Attribute(9, 1, 2, 3, 4);
        BitConverter.GetBytes((ushort)length).CopyTo(odd, 0);
        byte[] statistics = Attribute(Statistics64, new byte[StatisticsCount * sizeof(ulong)]);

        Assert.Equal(new InterfaceCounters("eth0", 1), Assert.Single(Links(Link(1, "eth0", odd, statistics))));
    }

    [Fact]
    public void Parsers_RecordedBytesChangedAtRandom_StayWithinTheirBounds()
    {
        Random random = RandomCase.Create();
        byte[][] recorded = [RecordedNamespace.Links, RecordedNamespace.Queues];
        for (int round = 0; round < 20_000; round++)
        {
            byte[] reply = [.. recorded[round % 2]];
            for (int change = random.Next(8); change >= 0; change--)
            {
                reply[random.Next(reply.Length)] = (byte)random.Next(256);
            }

            byte[] cut = reply[..random.Next(reply.Length + 1)];
            List<InterfaceCounters> links = Links(cut);
            links.Add(new InterfaceCounters("veth0", 2));

            Assert.All(links, one => Assert.InRange(one.Name.Length, 1, 60));
            Assert.All(QueueParser.Parse(cut, links, maxCount: 8), one => Assert.InRange(one.Kind.Length, 0, 60));
        }
    }

    private static List<InterfaceCounters> Links(byte[] reply)
    {
        var links = new List<InterfaceCounters>();
        LinkParser.Add(reply, [], maxCount: 100, links);
        return links;
    }
}
