using System.Net.Sockets;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Counting;

/// <summary>The tables against a path that knows what it did to every datagram: each count is equal.</summary>
public sealed class SeededRelayTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private static int SeedCount => TestWidth.Of(200, full: 10_000);

    [Fact]
    public void Counts_BehindTheRelay_AreExactlyWhatItDid()
    {
        Random seeds = RandomCase.Create();
        for (int i = 0; i < SeedCount; i++)
        {
            int seed = seeds.Next();
            try
            {
                Compare(new Random(seed));
            }
            catch (Exception fault)
            {
                throw new InvalidOperationException($"The relay's seed was {seed}, number {i}.", fault);
            }
        }
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task Receive_BehindTheRelayOverSockets_CountsExactlyWhatItDid(bool isCoalesced, bool checksums)
    {
        Random random = RandomCase.Create();
        for (int round = 0; round < 5; round++)
        {
            // At most 4 streams of 64 datagrams and some copies: few enough for a receive buffer of 200 KiB.
            var relay = new SeededRelay(
                random, SequenceTracker.DefaultWindowSequences, reach: 8, handshakes: false, checksums);
            IReadOnlyList<SeededRelay.Arrival> arrivals = relay.Run();
            using TrafficReceiver receiver = TrafficReceiver.Open(new TrafficReceiverOptions
            {
                Local = UdpEndPoint.Loopback(0),
                Duration = Patience,
                Accounting = new AccountingOptions { Verify = checksums },
                Transport = new TransportOptions { CoalescedReceive = isCoalesced },
            });
            using var stop = new CancellationTokenSource();
            using var plain = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            foreach (SeededRelay.Arrival arrival in arrivals)
            {
                plain.SendTo(arrival.Payload, receiver.LocalEndPoint.ToIPEndPoint());
            }

            // What is queued in the socket counts, although the end is asked for before the run begins.
            await stop.CancelAsync();
            TrafficReport report = receiver.Run(cancellationToken: stop.Token);

            SeededRelay.Stream[] heard = [.. relay.Streams.Where(static stream => stream.IsHeard)];
            SequenceCounts expected = heard.Aggregate(
                default(SequenceCounts), static (sum, stream) => sum + stream.Truth.Counts);
            Assert.Equal(0, report.KernelDrops ?? 0);
            Assert.Equal(expected.Received + relay.Others + relay.Corrupted, report.Datagrams);
            Assert.Equal(checksums ? relay.Corrupted : null, report.Corrupted);
            Assert.Equal(expected.Unique, report.Unique);
            Assert.Equal(
                (expected.Lost, expected.Duplicated, expected.Reordered, expected.Late, expected.MissedBeforeFirst),
                (report.Lost, report.Duplicated, report.Reordered, report.Late, report.MissedBeforeFirst));
            Assert.Equal((relay.Others, relay.Unknowns), (report.OtherDatagrams, report.UnknownDatagrams));
            Assert.Equal(heard.Length, report.Streams);
        }
    }

    private static void Compare(Random random)
    {
        int window = 64 << random.Next(5);
        bool checksums = random.Next(2) == 0;
        var relay = new SeededRelay(random, window, reach: window, handshakes: random.Next(2) == 0, checksums);
        AccountingOptions options = new()
        {
            Deadline = relay.DeadlineNanoseconds == long.MaxValue
                ? null
                : TimeSpan.FromMicroseconds(relay.DeadlineNanoseconds / 1e3),
            Verify = checksums,
        };
        var table = new StreamTable(capacity: 8, window, options);
        foreach (SeededRelay.Stream stream in relay.Streams.Where(static stream => stream.IsHandshaken))
        {
            table.Open(stream.Id)!.Begin(0);
        }

        var ledger = new StreamLedger(capacity: 8, window, options);
        var page = new BatchCounts(ledger);
        long now = 0;
        foreach (SeededRelay.Arrival arrival in relay.Run())
        {
            table.Add(arrival.Payload, arrival.Nanoseconds, checksums);
            if (now != arrival.Nanoseconds) page.Begin(arrival.Nanoseconds);
            now = arrival.Nanoseconds;
            page.Add(arrival.Payload);
        }

        page.Post();
        if (!relay.Streams.Any(static stream => stream.IsHandshaken)) Assert.Equal(table.Totals, ledger.Totals);
        foreach (SeededRelay.Stream stream in relay.Streams.Where(static stream => stream.IsHandshaken))
        {
            table.End(stream.Id, stream.Total);
            stream.Truth.Announce(stream.Total);
            stream.IsHeard = stream.IsEnded = true;
        }

        SeededRelay.Stream[] heard = [.. relay.Streams.Where(static stream => stream.IsHeard)];
        StreamTotals expected = new()
        {
            Streams = heard.Length,
            EndedStreams = heard.Count(static stream => stream.IsEnded),
            Counts = heard.Aggregate(default(SequenceCounts), static (sum, stream) => sum + stream.Truth.Counts),
            Bytes = heard.Sum(static stream => stream.Bytes),
            OtherDatagrams = relay.Others,
            UnknownDatagrams = relay.Unknowns,
            Corrupted = relay.Corrupted,
        };
        StreamTotals totals = table.Totals;
        Assert.Equal(expected, totals with { Counts = totals.Counts with { AfterDeadline = 0 } });
        SequenceLengths lengths = table.ReadLengths();
        Assert.Equal(expected.Counts.Lost, lengths.LossBursts.Sum);
        Assert.Equal(expected.Counts.Reordered, lengths.ReorderExtents.Count);
        foreach (SeededRelay.Stream stream in heard)
        {
            CompareStream(stream, table.Open(stream.Id)!, relay.DeadlineNanoseconds);
        }
    }

    private static void CompareStream(SeededRelay.Stream stream, TestStream followed, long deadlineNanoseconds)
    {
        SequenceCounts counts = followed.Counts;
        Assert.Equal(stream.Truth.Counts, counts with { AfterDeadline = 0 });
        long tolerance = (deadlineNanoseconds / 32) + 1;
        Assert.InRange(
            counts.AfterDeadline,
            deadlineNanoseconds == long.MaxValue ? 0 : stream.CountOver(deadlineNanoseconds + tolerance),
            stream.CountOver(deadlineNanoseconds));
        stream.Truth.AssertEqual(followed.Lengths);
        Assert.Equal(stream.IsEnded, followed.Ended);

        // What the relay itself knows, where nothing came too late to be told apart.
        if (counts.Late > 0) return;
        Assert.Equal(stream.Delivered.Count, counts.Unique);
        long missing = stream.Total - stream.Delivered.Count;
        if (stream.IsEnded) Assert.Equal(missing, counts.Lost + counts.MissedBeforeFirst);
        if (stream.IsHandshaken) Assert.Equal(0, counts.MissedBeforeFirst);
    }
}
