using System.Net;
using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.TestHelpers.Iperf2;

namespace Spate.Tests.Cli.Iperf.Iperf2.Ends;

/// <summary>What a client sends, and how it ends its flows.</summary>
public sealed class Iperf2ClientTests
{
    [Theory]
    [InlineData(1, 1470)]
    [InlineData(3, 1470)]
    [InlineData(1, 12)]
    [InlineData(1, 16)]
    [InlineData(1, 8000)]
    public void Run_AgainstTheServer_BothAgreeToTheLastDatagram(int flowCount, int sizeBytes)
    {
        using var server = new RunningIperf2Server();
        using Iperf2Client client = Iperf2Client.Open(new Iperf2ClientOptions
        {
            Server = server.EndPoint,
            SizeBytes = sizeBytes,
            FlowCount = flowCount,
            ByteCount = (40 * sizeBytes) - 1,
            DatagramsPerSecond = 1000,
        });

        IReadOnlyList<Iperf2Sent> flows = client.Run(new RecordingObserver(), TestContext.Current.CancellationToken);

        Assert.All(flows, static sent => Assert.Equal((40L, 40L), (sent.Datagrams, sent.Arrived)));
        foreach (Iperf2Sent sent in flows)
        {
            Iperf2Received received = server.Observer.TakeFinished();
            Assert.Equal((40, 0, 0), (received.Exact.Unique, received.Lost, received.Exact.Reordered));
            Assert.Equal(41, sent.Report!.Counts.Total);
        }
    }

    [Fact]
    public async Task Run_EndsAndAnswersLost_AsksAgainByTheSameNumber()
    {
        using var server = new HandMadePeer();
        using Iperf2Client client = Iperf2Client.Open(Few(server.EndPoint));
        Task<IReadOnlyList<Iperf2Sent>> run = Task.Factory.StartNew(
            () => client.Run(new RecordingObserver(), TestContext.Current.CancellationToken),
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        var ends = new List<long>();
        EndPoint from;
        while (ends.Count < 3)
        {
            Assert.True(Iperf2Header.TryRead(server.Receive(out from), isWide: true, out Iperf2Header header));
            if (header.Number < 0) ends.Add(header.Number);
            if (ends.Count != 3) continue;

            server.Answer(new byte[128], from); // no figures
            server.Answer(new byte[20], from);
            byte[] answer = new byte[56];
            Iperf2Answer.Write(answer, new Iperf2ServerReport(1, new IperfCounts(900, 0, 6, 0, 0)));
            server.Answer(answer, from);
        }

        Iperf2Sent sent = Assert.Single(await run);
        Assert.Equal([-6, -6, -6], ends);
        Assert.Equal((3, 6L), (sent.EndTries, sent.Report!.Counts.Total));
    }

    [Fact]
    public void Run_NobodyListens_SaysSo()
    {
        UdpEndPoint closed;
        using (var server = new HandMadePeer()) closed = server.EndPoint;
        using Iperf2Client client = Iperf2Client.Open(Few(closed));

        Iperf2Sent sent = Assert.Single(client.Run(new RecordingObserver(), TestContext.Current.CancellationToken));

        Assert.True(sent is { Report: null, IsPortClosed: true, EndTries: Iperf2Client.EndTries });
    }

    [Fact]
    public async Task Run_Cancelled_EndsItsFlows()
    {
        using var server = new RunningIperf2Server();
        using var stop = new CancellationTokenSource();
        using Iperf2Client client = Iperf2Client.Open(new Iperf2ClientOptions
        {
            Server = server.EndPoint,
            Duration = TimeSpan.FromHours(1),
            DatagramsPerSecond = 1000,
        });
        Task<IReadOnlyList<Iperf2Sent>> run = Task.Run(
            () => client.Run(new RecordingObserver(), stop.Token), TestContext.Current.CancellationToken);
        Wait.Until(() => !server.Observer.Started.IsEmpty);

        await stop.CancelAsync();

        Iperf2Sent sent = Assert.Single(await run);
        Iperf2Received received = server.Observer.TakeFinished();
        Assert.Equal(Iperf2End.Finished, received.End);
        Assert.Equal((sent.Datagrams, 0), (received.Exact.Unique, received.Lost));
    }

    [Theory]
    [InlineData(11, 1)]
    [InlineData(65_508, 1)]
    [InlineData(1470, 0)]
    [InlineData(1470, 129)]
    public void Open_OptionOutOfRange_IsRefused(int sizeBytes, int flowCount) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Iperf2Client.Open(new Iperf2ClientOptions
        {
            Server = UdpEndPoint.Loopback(9),
            SizeBytes = sizeBytes,
            FlowCount = flowCount,
        }));

    private static Iperf2ClientOptions Few(UdpEndPoint server) => new()
    {
        Server = server,
        SizeBytes = 150,
        ByteCount = 5 * 150,
        DatagramsPerSecond = 10_000,
    };
}
