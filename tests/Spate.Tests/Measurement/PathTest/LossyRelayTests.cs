using System.Collections.Concurrent;
using Spate.Measurement.Counting;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>
/// Both ends of a test over a path that loses, duplicates, reorders and damages data, and loses control too: the report
/// at the client is what the path did.
/// </summary>
public sealed class LossyRelayTests
{
    private const int AtOnce = 4;

    private static int SeedCount => TestWidth.Of(5, full: 200);

    [Fact]
    public void Run_BehindALossyRelay_ReportsExactlyWhatItDid()
    {
        Random seeds = RandomCase.Create();
        int[] all = [.. Enumerable.Range(0, SeedCount).Select(_ => seeds.Next())];
        var damage = new ConcurrentBag<SequenceCounts>();
        Parallel.ForEach(all, new ParallelOptions { MaxDegreeOfParallelism = AtOnce }, seed =>
        {
            try
            {
                Compare(seed, damage);
            }
            catch (Exception fault)
            {
                throw new InvalidOperationException($"The relay's seed was {seed}.", fault);
            }
        });

        SequenceCounts sum = damage.Aggregate(default(SequenceCounts), static (sum, one) => sum + one);
        Assert.DoesNotContain(0, (long[])[sum.Lost, sum.Duplicated, sum.Reordered]);
    }

    private static void Compare(int seed, ConcurrentBag<SequenceCounts> damage)
    {
        var random = new Random(seed);
        int flows = random.Next(1, 4);
        int count = random.Next(flows, 1500);
        using var server = new RunningServer();
        using var relay = new LossyRelay(seed, server.EndPoint, flows, count);

        TestReport report = RunningServer.Run((server.Options(count) with { Servers = [relay.EndPoint] }).Asking(test =>
        {
            test.Flows = flows;
            test.SizeBytes = LossyStream.SizeBytes;
            test.DatagramsPerSecond = 5000;
            test.Direction = (TestDirection)random.Next(3);
            test.Verify = true;
        }));

        relay.Stop();
        foreach (TestDirectionReport one in report.Directions)
        {
            bool isForward = one.From is "client";
            SequenceCounts truth = relay.CountsOf(isForward);
            TrafficReport received = (isForward ? report.Remote.Received : report.Local.Received)!;
            Assert.Equal((count, truth.Unique, truth.Lost), (one.Datagrams, one.Unique, one.Lost));
            Assert.Equal(
                (truth.Unique, truth.Lost, truth.Duplicated, truth.Reordered),
                (received.Unique, received.Lost, received.Duplicated, received.Reordered));
            Assert.Equal((0, 0), (received.Late, received.MissedBeforeFirst));
            Assert.Equal(relay.CorruptedOf(isForward), received.Corrupted);
            Assert.Equal(0, received.OtherDatagrams);
            damage.Add(truth);
        }

        Assert.Equal(report.Directions.Sum(static one => one.Lost), report.Lost);
    }
}
