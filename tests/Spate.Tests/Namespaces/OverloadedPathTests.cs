using Spate.Measurement.Testing;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Namespaces;

/// <summary>A test whose two ends lie in namespaces of their own, with a slow queue at one end or at both.</summary>
public sealed class OverloadedPathTests
{
    private const string ServerAddress = "10.77.0.1";
    private const string ClientAddress = "10.77.0.2";

    // 10 Mbit/s are some 1200 datagrams of 1000 bytes a second: an eighth of what is sent.
    private const string SlowQueue = "qdisc add dev veth0 root tbf rate 10mbit burst 10000 limit 20000";

    // Not trains: the counters of queues and interfaces count those.
    private static readonly TransportOptions Plain = new() { SegmentedSend = false, CoalescedReceive = false };

    [Theory]
    [InlineData(TestDirection.Forward)]
    [InlineData(TestDirection.Reverse)]
    [InlineData(TestDirection.Both)]
    public void Test_EightTimesTheRateOfTheQueue_IsExactAndEnds(TestDirection direction)
    {
        TestReport report = Run(direction, new TransportOptions());

        Assert.Equal(direction == TestDirection.Both ? 2 : 1, report.Directions.Length);
        foreach (TestDirectionReport one in report.Directions)
        {
            TrafficReport received = (one.From is "client" ? report.Remote : report.Local).Received!;
            Assert.Equal(one.Datagrams, one.Unique + one.Lost);
            Assert.Equal(one.Lost, received.Lost);
            Assert.Equal(one.Offered, one.Unique + one.LostWhere.Values.Sum() + one.Unexplained);
            Assert.InRange(one.LostPercent, 50, 99);
        }
    }

    [Theory]
    [InlineData(TestDirection.Forward)]
    [InlineData(TestDirection.Reverse)]
    public void Test_PlainDatagrams_AreLostInTheSendersQueue(TestDirection direction)
    {
        TestReport report = Run(direction, Plain);

        TestDirectionReport one = Assert.Single(report.Directions);
        Assert.Equal(0, one.Unexplained);
        Assert.Equal(one.Offered - one.Unique, one.LostWhere["senderQueue"]);
        Assert.Contains("queue", one.Verdict, StringComparison.Ordinal);
    }

    private static TestReport Run(TestDirection direction, TransportOptions transport)
    {
        const int port = 9999;
        Assert.SkipUnless(NetworkNamespace.HasProgram("tc"), "the program tc (iproute2) is not installed");
        using var serverSpace = new NetworkNamespace();
        using var clientSpace = new NetworkNamespace();
        NetworkNamespace.Join(serverSpace, ServerAddress + "/24", clientSpace, ClientAddress + "/24");
        serverSpace.Execute("tc", SlowQueue);
        clientSpace.Execute("tc", SlowQueue);
        using TestServer server = serverSpace.Enter(
            () => TestServer.Open(new TestServerOptions { Local = UdpEndPoint.Any(port), EndsAfterOne = true }));
        var run = new Thread(() => serverSpace.Enter(() =>
        {
            server.Run();
            return true;
        }));
        run.Start();
        TestReport report = clientSpace.Enter(() =>
        {
            using TestClient client = TestClient.Connect(
                new TestClientOptions
                {
                    Servers = [UdpEndPoint.Parse($"{ServerAddress}:{port}")],
                    Direction = direction,
                    SizeBytes = 1000,
                    DatagramsPerSecond = 10_000,
                    Duration = TimeSpan.FromSeconds(3),
                    Transport = transport,
                },
                cancellationToken: TestContext.Current.CancellationToken);
            return client.Run(cancellationToken: TestContext.Current.CancellationToken);
        });
        run.Join();
        return report;
    }
}
