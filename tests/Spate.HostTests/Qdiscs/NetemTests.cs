using Spate.HostTests.Namespaces;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.HostTests.Qdiscs;

/// <summary>
/// A test between two namespaces counts the effects of netem on its data, datagram by datagram. Delays are long enough
/// for an emulated CPU.
/// </summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class NetemTests : IDisposable
{
    private const int Runs = 10;
    private const string Queue = "senderQueue";

    private static readonly TestClientOptions Test =
        TestPair.Plain.Asking(static test => test.DatagramsPerSecond = 500);

    private readonly TestPair _pair = new();

    public void Dispose() => _pair.Dispose();

    [Theory]
    [InlineData("netem loss 10%")]
    [InlineData("netem loss gemodel 5% 50%")]
    [InlineData("netem rate 1mbit limit 20")]
    public void Test_DataDropped_IsTheDropsOfTheQueueInEachRun(string kind)
    {
        var queue = new Qdisc(_pair.Client, kind);
        long all = 0;
        int judged = 0;
        for (int run = 0; run < Runs; run++)
        {
            long before = queue.Count("drops");

            TestDirectionReport one = _pair.RunOne(Test);

            long drops = queue.Count("drops") - before;
            all += drops;
            Assert.Equal(drops, one.LostWhere[Queue]);
            Assert.Equal((drops, 0), (one.Lost, one.Unexplained));
            if (drops == 0 || one.Skipped > drops) continue;

            // The interface's queue is prio, which counts the drops of those below it.
            TestPair.AllLostAt(Queue, "the sender's queue prio on veth0 (", one.Remedy, one);
            Assert.StartsWith("--rate ", one.Remedy, StringComparison.Ordinal);
            judged++;
        }

        Assert.NotEqual(0, all);
        NotJudged.When(judged == 0, "other programs keep the CPUs so busy that the sender cannot keep the rate");
    }

    [Fact]
    public void Test_ControlAndDataDropped_NamesNetem()
    {
        _ = new Qdisc(_pair.Client, "netem loss 20%", isForDataOnly: false);

        TestDirectionReport one = _pair.RunOne(Test);

        TestPair.AllLostAt(Queue, "the sender's queue netem on veth0 (", one.Remedy, one);
        Assert.StartsWith("--rate ", one.Remedy, StringComparison.Ordinal);
    }

    [Fact]
    public void Test_DataDuplicated_IsTheCopiesOfTheQueueInEachRun()
    {
        var queue = new Qdisc(_pair.Client, "netem duplicate 10%");
        long all = 0;
        for (int run = 0; run < Runs; run++)
        {
            long before = queue.Count("packets");

            TestReport report = _pair.Run(Test);

            TestDirectionReport one = Assert.Single(report.Directions);
            long copies = queue.Count("packets") - before - one.Datagrams;
            all += copies;
            TestPair.AllArrives(one);
            Assert.Equal(copies, report.Remote.Received!.Duplicated);
        }

        Assert.NotEqual(0, all);
    }

    [Fact]
    public void Test_DataReordered_ArrivesWholeInEachRun()
    {
        var queue = new Qdisc(_pair.Client, "netem delay 100ms reorder 20% gap 5");
        for (int run = 0; run < Runs; run++)
        {
            long before = queue.Count("requeues");

            TestReport report = _pair.Run(Test);

            TestPair.AllArrives(Assert.Single(report.Directions));
            long overtook = queue.Count("requeues") - before;
            Assert.Equal(overtook > 0, report.Remote.Received!.Reordered > 0);
        }

        Assert.NotEqual(0, queue.Count("requeues"));
    }

    [Fact]
    public void Test_DataDelayed_ArrivesWholeAndAsLate()
    {
        const double delayMilliseconds = 500;
        _ = new Qdisc(_pair.Client, $"netem delay {delayMilliseconds}ms", isForDataOnly: false);
        for (int run = 0; run < Runs; run++)
        {
            TestReport report = _pair.Run(Test);

            TestPair.AllArrives(Assert.Single(report.Directions));
            Assert.InRange(report.RoundTrip.MinMicroseconds, 1000 * delayMilliseconds, double.MaxValue);
        }
    }

    // A bit of the frame is turned over at random, mostly in what UDP's checksum covers.
    [Fact]
    public void Test_DataCorrupted_IsNotCountedAsArrived()
    {
        _ = new Qdisc(_pair.Client, "netem corrupt 20%");
        long wrongChecksums = 0;
        for (int run = 0; run < Runs; run++)
        {
            TestReport report = _pair.Run(Test.Asking(static test => test.Verify = true));

            TestDirectionReport one = Assert.Single(report.Directions);
            wrongChecksums += one.LostWhere["udp"];
            Assert.Equal(0, one.LostWhere[Queue]);
            Assert.Equal(0, report.Remote.Received!.Corrupted);
        }

        Assert.NotEqual(0, wrongChecksums);
    }
}
