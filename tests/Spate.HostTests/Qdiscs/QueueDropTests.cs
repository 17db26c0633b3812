using Spate.HostTests.Namespaces;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.HostTests.Qdiscs;

/// <summary>Drops of queueing disciplines that shape or mark, and of an interface that discards all.</summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class QueueDropTests : IDisposable
{
    private const string Queue = "senderQueue";

    private static readonly TestClientOptions Test = TestPair.Plain.Asking(static test =>
    {
        test.DatagramsPerSecond = 500;
        test.Seconds = 1;
    });

    private readonly TestPair _pair = new();

    public void Dispose() => _pair.Dispose();

    [Fact]
    public void Test_CakeAsSlowAsAQuarter_NamesCake()
    {
        CompileTheTest();

        // As the root, so some of its drops may be control messages.
        var queue = new Qdisc(_pair.Client, "cake bandwidth 1mbit memlimit 40000", isForDataOnly: false);

        TestDirectionReport one = _pair.RunOne(Test);

        TestPair.AllLostAt(Queue, "the sender's queue cake on veth0 (", one.Remedy, one);
        Assert.StartsWith("--rate ", one.Remedy, StringComparison.Ordinal);
        Assert.InRange(queue.Count("drops"), one.LostWhere[Queue], long.MaxValue);
    }

    // fq_codel has no rate: tbf before it makes it fill.
    [Fact]
    public void Test_FqCodelBelowASlowQueue_IsCountedOnce()
    {
        CompileTheTest();
        var queue = new Qdisc(_pair.Client, "fq_codel limit 20", above: "tbf rate 1mbit burst 10000 limit 1000000");

        TestDirectionReport one = _pair.RunOne(Test);

        TestPair.AllLostAt(Queue, "the sender's queue prio on veth0 (", one.Remedy, one);
        Assert.StartsWith("--rate ", one.Remedy, StringComparison.Ordinal);
        Assert.Equal(queue.Count("drops"), one.LostWhere[Queue]);
    }

    // It counts each packet as sent and frees it (drivers/net/dummy.c), so neither end has a counter of the loss.
    [Fact]
    public void Test_EachFourthRoutedToDummy_NamesThePath()
    {
        const int dataBytes = TestPair.SizeBytes + TestPair.HeaderBytes;
        _pair.Client.RequireNft();
        CompileTheTest();
        Exception? fault = Record.Exception(() => _pair.Client.Ip("link add nowhere type dummy"));
        Assert.SkipUnless(fault is null, $"this kernel has no dummy: {fault?.Message}");
        _pair.Client.Ip("link set nowhere up");
        _pair.Client.Ip("route add default dev nowhere table 100");
        _pair.Client.Ip("rule add fwmark 1 lookup 100");
        _pair.Client.Execute("nft add table ip dummy");
        _pair.Client.Execute("nft add chain ip dummy out { type route hook output priority 0 ; }");
        _pair.Client.Execute(
            $"nft add rule ip dummy out meta length {dataBytes} numgen inc mod 4 == 0 meta mark set 1");

        TestDirectionReport one = _pair.RunOne(Test);

        Assert.InRange(one.Lost, one.Datagrams / 4, (one.Datagrams / 4) + 1);
        TestPair.AllLostAt("path", "between the two hosts, where neither end has counters", one.Remedy, one);
        Assert.StartsWith("--rate ", one.Remedy, StringComparison.Ordinal);
    }

    // The first test of a process compiles its code. On an emulated CPU that takes seconds, in which the sender skips
    // so much that nothing can be judged.
    private void CompileTheTest() => _pair.RunOne(TestPair.Plain);
}
