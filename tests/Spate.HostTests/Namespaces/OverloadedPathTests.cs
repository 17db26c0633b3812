using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.HostTests.Namespaces;

/// <summary>
/// Overload between two namespaces, by a slow queue at both ends or by a small receive buffer. Every datagram is
/// accounted for.
/// </summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class OverloadedPathTests : IDisposable
{
    // 10 Mbit/s are some 1200 datagrams of 1000 bytes a second: an eighth of what is sent.
    private const string SlowQueue = "tc qdisc add dev veth0 root tbf rate 10mbit burst 10000 limit 20000";
    private const int Rate = 10_000;

    private readonly TestPair _pair = new();

    private static int RunCount => TestWidth.Of(1, full: 10);

    public void Dispose() => _pair.Dispose();

    [Theory]
    [InlineData(TestDirection.Forward)]
    [InlineData(TestDirection.Reverse)]
    [InlineData(TestDirection.Both)]
    internal void Test_EightTimesTheRateOfTheQueue_IsExactAndEnds(TestDirection direction)
    {
        SlowDown();

        TestReport report = _pair.Run(TestPair.Plain.Asking(test =>
        {
            test.Direction = direction;
            test.DatagramsPerSecond = Rate;
            test.Seconds = 0.5;
            test.SegmentedSend = true;
            test.CoalescedReceive = true;
        }));

        Assert.Equal(direction == TestDirection.Both ? 2 : 1, report.Directions.Length);
        foreach (TestDirectionReport one in report.Directions)
        {
            TrafficReport received = (one.From is "client" ? report.Remote : report.Local).Received!;
            Assert.Equal(one.Lost, received.Lost);
            Assert.InRange(one.LostPercent, 50, 99);
        }
    }

    [Theory]
    [InlineData(TestDirection.Forward)]
    [InlineData(TestDirection.Reverse)]
    internal void Test_PlainDatagramsManyTimes_AreAllLostInTheSendersQueue(TestDirection direction)
    {
        SlowDown();
        for (int i = 0; i < (direction == TestDirection.Forward ? RunCount : 1); i++)
        {
            TestDirectionReport one = _pair.RunOne(TestPair.Plain.Asking(test =>
            {
                test.Direction = direction;
                test.DatagramsPerSecond = Rate;
                test.Seconds = 0.3;
            }));

            TestPair.AllLostAt("senderQueue", "the sender's queue tbf on veth0 (", one.Remedy, one);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Test_SmallBufferManyTimes_LeavesNothingUnexplained(bool hasGsoMessages)
    {
        bool apart = Environment.ProcessorCount >= 2;
        for (int i = 0; i < RunCount; i++)
        {
            TestDirectionReport one = _pair.RunOne((TestPair.Plain with { Cpus = apart ? [0] : [] }).Asking(test =>
            {
                test.DatagramsPerSecond = null;
                test.DatagramCount = hasGsoMessages ? 300_000 : 50_000;
                test.BufferBytes = 4096;
                test.Cpus = apart ? [1] : [];
                test.SegmentedSend = hasGsoMessages;
                test.CoalescedReceive = hasGsoMessages;
            }));

            // Nothing paces the sender, so the reader may have to wait for a CPU: then it is the place.
            Assert.Equal(0, one.Unexplained);
            Assert.Equal(one.Lost, one.LostWhere["socket"] + one.LostWhere["reader"]);
            Assert.NotEqual(0, one.Lost);
        }
    }

    private void SlowDown()
    {
        Programs.Require("tc", "iproute2");
        _pair.Server.Execute(SlowQueue);
        _pair.Client.Execute(SlowQueue);
    }
}
