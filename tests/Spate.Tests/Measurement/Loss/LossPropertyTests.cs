using System.Net.Sockets;
using Spate.HostTuning.Counters;
using Spate.Measurement.HostUse;
using Spate.Measurement.Loss;
using static Spate.Tests.Measurement.Loss.LossCase;

namespace Spate.Tests.Measurement.Loss;

/// <summary>What holds for any evidence, sensible or not. <see cref="LossCase.Judge"/> checks the sums.</summary>
public sealed class LossPropertyTests
{
    private const int Cases = 50_000;

    [Fact]
    public void Judge_RandomEvidence_AccountsForEveryMissingDatagram()
    {
        Random random = RandomCase.Create();
        for (int i = 0; i < Cases; i++)
        {
            LossAccount account = Judge(AnyEvidence(random));
            Assert.NotEmpty(account.Sentence);
        }
    }

    /// <summary>
    /// Plain datagrams that each died in one place, on a host where nothing else goes on: every place gets exactly
    /// what it lost. The firewall's loss is found by subtraction, and stays unexplained unless it is more than usual
    /// traffic makes and at least half of what no other counter explains.
    /// </summary>
    [Fact]
    public void Judge_PlainTrafficAlone_PutsEachLossWhereItWas()
    {
        Random random = RandomCase.Create();
        for (int i = 0; i < Cases; i++)
        {
            long[] lost = [.. Enumerable.Range(0, 10).Select(_ => random.Next(3) == 0 ? random.Next(5000) : 0L)];
            (long skipped, long refused, long queue, long link, long path) =
                (lost[0], lost[1], lost[2], lost[3], lost[4]);
            (long card, long backlog, long firewall, long udp, long socket) =
                (lost[5], lost[6], lost[7], lost[8], lost[9]);
            long missing = lost.Sum();
            long offered = missing + random.Next(100_000);
            long arrived = offered - lost[..7].Sum();
            LossEvidence evidence = Of(missing, offered).Arrived(arrived, arrived - firewall)
                .Queues(Queue("tbf", queue), Queue("bfifo", queue, "8001:1"))
                .SenderUdp(one => one with { SndbufErrors = queue + random.Next(100) })
                .SenderIp(one => one with { OutDiscards = queue + refused })
                .SenderLink(one => one with { TxErrors = link })
                .Link(one => one with { RxMissedErrors = card, RxDropped = backlog })
                .Softnet(backlog)
                .Udp(one => one with { NoPorts = udp, InErrors = socket, RcvbufErrors = socket }) with
            {
                Skipped = skipped,
                Refused = refused,
                RefusedBecause = SocketError.AccessDenied,
                SocketDrops = socket,
            };
            evidence = evidence with { SenderDelta = evidence.SenderDelta! with { NamespaceId = "net:[1]@other" } };

            LossAccount account = Judge(evidence);

            bool isNamed = firewall > 50 * (1 + evidence.Seconds) && firewall >= path;
            (long named, long unexplained) = isNamed ? (firewall, 0L) : (0L, firewall);
            Assert.Equal(
                string.Join(' ', skipped + refused, queue, link, path, card, backlog, named, udp, socket, unexplained),
                string.Join(
                    ' ',
                    account.LostWhere["senderApplication"],
                    account.LostWhere["senderQueue"],
                    account.LostWhere["senderInterface"],
                    account.LostWhere["path"],
                    account.LostWhere["receiverInterface"],
                    account.LostWhere["backlog"],
                    account.LostWhere["firewall"],
                    account.LostWhere["udp"],
                    account.LostWhere["socket"],
                    account.Unexplained));
        }
    }

    /// <summary>
    /// GSO messages of any lengths, of which the receiving socket alone drops some: all are the socket's.
    /// </summary>
    [Fact]
    public void Judge_GsoMessagesDroppedByTheSocketAlone_LeaveNothingUnexplained()
    {
        Random random = RandomCase.Create();
        for (int i = 0; i < Cases; i++)
        {
            long offered = 0, missing = 0, dropped = 0, packets = 0;
            int longest = random.Next(1, 65);
            for (int message = 0; message < 50; message++)
            {
                int length = random.Next(1, longest + 1);
                offered += length;
                packets++;
                if (random.Next(8) == 0) continue;

                missing += length;
                dropped++;
            }

            LossAccount account = Judge(Of(missing, offered).Arrived(packets, segments: offered)
                .Udp(udp => udp with { InErrors = dropped, RcvbufErrors = dropped }) with
            {
                SegmentedSend = true,
                CoalescedReceive = true,
                SocketDrops = dropped,
                SocketDropUnit = UdpDropUnit.CoalescedBuffers,
                SizeBytes = 1000,
            });

            Assert.Equal(missing, account.LostWhere["socket"]);
        }
    }

    private static LossEvidence AnyEvidence(Random random)
    {
        bool isShared = random.Next(3) == 0;
        string sender = AnyName(random);
        return new LossEvidence
        {
            Missing = AnyCount(random) ?? 0,
            Offered = AnyCount(random) ?? 0,
            Skipped = AnyCount(random) ?? 0,
            Refused = AnyCount(random) ?? 0,
            RefusedBecause = random.Next(2) == 0 ? SocketError.Success : (SocketError)random.Next(10_000, 10_070),
            Corrupted = AnyCount(random) ?? 0,
            Late = AnyCount(random) ?? 0,
            SenderDelta = AnyCounters(random, sender, 1),
            ReceiverDelta = AnyCounters(random, isShared ? sender : AnyName(random), isShared ? 1 : 2),
            SenderInterfaces = AnyNames(random),
            ReceiverInterfaces = AnyNames(random),
            SocketDrops = AnyCount(random),
            SocketDropUnit = (UdpDropUnit)random.Next(2),
            SegmentedSend = random.Next(3) switch { 0 => null, 1 => true, _ => false },
            CoalescedReceive = random.Next(2) == 0,
            SizeBytes = random.Next(-1, 70_000),
            IsIPv6 = random.Next(3) switch { 0 => null, 1 => true, _ => false },
            SenderMtuBytes = random.Next(2) == 0 ? null : random.Next(-1, 70_000),
            ReceiverMtuBytes = random.Next(2) == 0 ? null : random.Next(-1, 70_000),
            ReceiveBufferAskedBytes = AnyCount(random),
            ReceiveBufferGrantedBytes = AnyCount(random),
            BacklogLimit = AnyCount(random),
            Readers = [.. Enumerable.Range(0, random.Next(4)).Select(_ => new ReaderSchedule
            {
                Datagrams = AnyCount(random) ?? 0,
                Drops = AnyCount(random),
                RunQueueNanoseconds = AnyCount(random),
                StealNanoseconds = AnyCount(random),
                CpuNanoseconds = AnyCount(random),
            })],
            StoppedNanoseconds = AnyCount(random),
            Seconds = AnySeconds(random),
            IsReceiverRemote = random.Next(2) == 0,
        };
    }

    private static NetworkCounters? AnyCounters(Random random, string name, int space) => random.Next(10) == 0
        ? null
        : new NetworkCounters
        {
            Udp4 = AnyUdp(random),
            Udp6 = AnyUdp(random),
            Ip4 = AnyIp(random),
            Ip6 = AnyIp(random),
            Softnet = new() { Dropped = AnyCount(random), Squeezed = AnyCount(random) },
            Interfaces = [.. Enumerable.Range(0, random.Next(3)).Select(i => new InterfaceCounters(name, i)
            {
                RxPackets = AnyCount(random), RxDropped = AnyCount(random), RxErrors = AnyCount(random),
                RxMissedErrors = AnyCount(random), RxFifoErrors = AnyCount(random), RxNoHandler = AnyCount(random),
                TxPackets = AnyCount(random), TxDropped = AnyCount(random), TxErrors = AnyCount(random),
                TxFifoErrors = AnyCount(random), TxCarrierErrors = AnyCount(random),
            })],
            Queues = [.. Enumerable.Range(0, random.Next(3)).Select(_ => Queue(
                AnyName(random), AnyCount(random), random.Next(3) == 0 ? "8001:1" : "root", name))],
            Conntrack = random.Next(2) == 0 ? null : new()
            {
                Drops = AnyCount(random),
                EarlyDrops = AnyCount(random),
                InsertFailed = AnyCount(random),
                Count = AnyCount(random),
                Max = AnyCount(random),
            },
            NamespaceId = random.Next(4) == 0 ? "" : $"net:[{space}]@{Boot}",
        };

    private static UdpProtocolCounters AnyUdp(Random random) => new()
    {
        InDatagrams = AnyCount(random),
        NoPorts = AnyCount(random),
        InErrors = AnyCount(random),
        OutDatagrams = AnyCount(random),
        RcvbufErrors = AnyCount(random),
        SndbufErrors = AnyCount(random),
        InCsumErrors = AnyCount(random),
        MemErrors = AnyCount(random),
    };

    private static IpCounters AnyIp(Random random) => new()
    {
        InReceives = AnyCount(random),
        InDelivers = AnyCount(random),
        InHdrErrors = AnyCount(random),
        InAddrErrors = AnyCount(random),
        InDiscards = AnyCount(random),
        InNoRoutes = AnyCount(random),
        OutRequests = AnyCount(random),
        OutDiscards = AnyCount(random),
        OutNoRoutes = AnyCount(random),
        ReasmFails = AnyCount(random),
        FragFails = AnyCount(random),
        ReversePathFilter = AnyCount(random),
        InSegments = AnyCount(random),
    };

    private static long? AnyCount(Random random) => random.Next(12) switch
    {
        0 => null,
        1 => long.MaxValue,
        2 => long.MinValue,
        3 => -random.Next(1000),
        4 => random.NextInt64(),
        5 or 6 => 0,
        _ => random.Next(10_000),
    };

    private static double AnySeconds(Random random) => random.Next(6) switch
    {
        0 => 0,
        1 => double.NaN,
        2 => double.PositiveInfinity,
        3 => -1,
        _ => random.NextDouble() * 100,
    };

    private static string[] AnyNames(Random random) =>
        [.. Enumerable.Range(0, random.Next(3)).Select(_ => AnyName(random))];

    private static string AnyName(Random random) => random.Next(6) switch
    {
        0 => "lo",
        1 => "eth0",
        2 => "clsact",
        3 => "eth0; reboot",
        4 => "\u001b[2J",
        _ => "-x",
    };
}
