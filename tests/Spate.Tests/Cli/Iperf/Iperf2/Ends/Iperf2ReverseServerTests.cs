using System.Net;
using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.TestHelpers.Iperf2;

namespace Spate.Tests.Cli.Iperf.Iperf2.Ends;

/// <summary>What a server sends back, and to whom it does not.</summary>
public sealed class Iperf2ReverseServerTests
{
    private static readonly Iperf2ServerOptions Allowing = new() { AllowReverse = true };

    [Theory]
    [InlineData(Iperf2Reverse.Together, "-d")]
    [InlineData(Iperf2Reverse.After, "-r")]
    internal void Flow_ThatAsksWhereItIsNotAllowed_IsCountedAndSentNothing(Iperf2Reverse reverse, string option)
    {
        using var server = new RunningIperf2Server();
        using var client = new HandMadePeer();
        using var back = new HandMadePeer();
        Iperf2Settings asked = Minute(reverse, back.EndPoint.Port);
        for (int i = 1; i <= 3; i++) client.Send(HandMadePeer.Asking(i, asked), server.EndPoint);

        client.Send(HandMadePeer.Asking(-4, asked), server.EndPoint);

        _ = client.Receive();
        Assert.Equal(3, server.Observer.TakeFinished().Exact.Unique);
        server.Stop();
        Assert.Equal(
            [$"{client.EndPoint} requested {option}, which is refused: start the server with --allow-reverse"],
            server.Observer.Notices.ToArray());
        Assert.Single(server.Observer.Started);
        Assert.Equal(1, server.Server.Socket.GetCounters().DatagramsSent);
        Assert.False(back.HasMore || client.HasMore);
    }

    [Theory]
    [InlineData(Iperf2Reverse.Together)]
    [InlineData(Iperf2Reverse.After)]
    internal void Flow_ThatAsksWhereItIsAllowed_GetsAsMuchBack(Iperf2Reverse reverse)
    {
        using var server = new RunningIperf2Server(Allowing);
        var observer = new RecordingObserver();
        using Iperf2Client client = Open(server, reverse, flowCount: 1);

        Iperf2Sent there = Assert.Single(client.Run(observer, TestContext.Current.CancellationToken));

        Iperf2Received back = observer.TakeFinished();
        Iperf2Sent sentBack = server.Observer.TakeSent();
        Assert.Equal((40L, 40L, 40L), (there.Arrived, sentBack.Datagrams, sentBack.Arrived));
        Assert.Equal((40, 0, 40 * 300), (back.Exact.Unique, back.Lost, back.ExactBytes));
        Assert.Equal((2, true, 1), (back.Stream.Number, back.Stream.IsReverse, client.FlowsBack));
        Assert.Equal((2, true), (sentBack.Stream.Number, sentBack.Stream.IsReverse));
        Assert.Equal([1, 2], server.Observer.Started.Select(static stream => stream.Number));
    }

    [Theory]
    [InlineData(Iperf2Reverse.Together)]
    [InlineData(Iperf2Reverse.After)]
    internal void Flows_OfOneClient_AllComeBack(Iperf2Reverse reverse)
    {
        using var server = new RunningIperf2Server(Allowing);
        var observer = new RecordingObserver();
        using Iperf2Client client = Open(server, reverse, flowCount: 4);

        _ = client.Run(observer, TestContext.Current.CancellationToken);

        Assert.Equal(4, client.FlowsBack);
        for (int i = 0; i < 4; i++) Assert.Equal(40, observer.TakeFinished().Exact.Unique);
        Assert.Empty(server.Observer.Notices);
    }

    [Fact]
    public void Flow_ThatAsksForItAfterwardsAndGoesOn_IsSentNothing()
    {
        using var server = new RunningIperf2Server(Allowing);
        using var client = new HandMadePeer();
        Iperf2Settings asked = Minute(Iperf2Reverse.After, client.EndPoint.Port);
        for (int i = 1; i <= 3; i++) client.Send(HandMadePeer.Asking(i, asked), server.EndPoint);
        Wait.Until(() => !server.Observer.Started.IsEmpty);

        server.Stop();

        Assert.Equal(Iperf2End.Stopped, server.Observer.TakeFinished().End);
        Assert.Single(server.Observer.Started);
        Assert.False(client.HasMore);
    }

    [Fact]
    public void Flow_WithAForgedRate_GetsNoMoreThanTheLimit()
    {
        using var server = new RunningIperf2Server(Allowing with { MaxReverseBitsPerSecond = 400_000 });
        using var client = new HandMadePeer();
        Iperf2Settings asked = Minute(Iperf2Reverse.Together, client.EndPoint.Port) with
        {
            SizeBytes = 500,
            BitsPerSecond = (1L << 56) - 1,
            Amount = -30,
        };

        Ask(client, server, asked);
        AnswerTheEnd(client);

        // 100 a second for 0.3 s, and the one at the very end.
        Assert.InRange(server.Observer.TakeSent().Datagrams, 1, 31);
        Assert.Equal(client.EndPoint, server.Observer.Started.Last().Remote);
    }

    [Fact]
    public void Flow_AfterAShortOne_WaitsUntilTheLimitHasPaidForIt()
    {
        using var server = new RunningIperf2Server(Allowing with { MaxReverseBitsPerSecond = 100 });
        using var first = new HandMadePeer();
        using var second = new HandMadePeer();

        // A datagram of 16 bytes and an end of 128: 11.5 s of the limit.
        Ask(first, server, Minute(Iperf2Reverse.Together, first.EndPoint.Port) with { Amount = -1 });
        AnswerTheEnd(first);
        Assert.Equal((1, 16), server.Observer.TakeSent() is var sent ? (sent.Datagrams, sent.Bytes) : default);
        Ask(second, server, Minute(Iperf2Reverse.Together, second.EndPoint.Port));

        Wait.Until(() => !server.Observer.Notices.IsEmpty);
        Assert.Contains("share its rate", Assert.Single(server.Observer.Notices), StringComparison.Ordinal);
    }

    [Fact]
    public void Flow_ThatNamesTheServersOwnPort_IsRefused()
    {
        using var server = new RunningIperf2Server(Allowing);
        using var client = new HandMadePeer();

        Ask(client, server, Minute(Iperf2Reverse.Together, server.EndPoint.Port));

        Wait.Until(() => !server.Observer.Notices.IsEmpty);
        Assert.Equal(
            [
                $"{client.EndPoint} requested -d, which is refused: it names this server's own port: "
                    + "set the client's -L",
            ],
            server.Observer.Notices.ToArray());
    }

    [Theory]
    [InlineData(65_536)]
    [InlineData(-1)]
    public void Flow_ThatNamesNoPort_IsRefused(int port)
    {
        using var server = new RunningIperf2Server(Allowing);
        using var client = new HandMadePeer();

        Ask(client, server, Minute(Iperf2Reverse.Together, port));

        Wait.Until(() => !server.Observer.Notices.IsEmpty);
        Assert.Equal(
            [$"{client.EndPoint} requested -d, which is refused: its port number is invalid"],
            server.Observer.Notices.ToArray());
    }

    [Fact]
    public void Flows_ThatAskForMoreThanFour_AreRefusedAndAllEndWithTheServer()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux has all addresses of 127.0.0.0/8");
        using var server = new RunningIperf2Server(Allowing);
        HandMadePeer[] clients =
            [.. Enumerable.Range(2, 5).Select(static i => new HandMadePeer(new IPAddress([127, 0, 0, (byte)i])))];
        using var sameAddress = new HandMadePeer(IPAddress.Parse("127.0.0.2"));

        Ask(clients[0], server, Minute(Iperf2Reverse.Together, clients[0].EndPoint.Port));
        Ask(sameAddress, server, Minute(Iperf2Reverse.Together, sameAddress.EndPoint.Port));
        Wait.Until(() => server.Observer.Notices.Count == 1);
        foreach (HandMadePeer client in clients.Skip(1))
        {
            Ask(client, server, Minute(Iperf2Reverse.Together, client.EndPoint.Port));
        }

        Wait.Until(() => server.Observer.Notices.Count == 2);
        foreach (HandMadePeer client in clients.Take(4)) _ = client.Receive();
        server.Stop();

        Assert.Equal(
            [
                $"{sameAddress.EndPoint} requested -d, which is refused: 1 run to that address already, and "
                    + "share its rate",
                $"{clients[4].EndPoint} requested -d, which is refused: 4 tests run already",
            ],
            server.Observer.Notices.ToArray());
        Assert.False(sameAddress.HasMore || clients[4].HasMore);
        for (int i = 0; i < 4; i++) Assert.Equal(1, server.Observer.TakeSent().EndTries);
        Assert.Equal(4, server.Observer.Started.Count(static stream => stream.IsReverse));
        foreach (HandMadePeer client in clients) client.Dispose();
    }

    [Fact]
    public void Flow_ThatNamesMoreFlowsThanTheOneBefore_GetsNoRateOfItsOwn()
    {
        using var server = new RunningIperf2Server(Allowing);
        using var first = new HandMadePeer();
        using var second = new HandMadePeer();
        Ask(first, server, Minute(Iperf2Reverse.Together, first.EndPoint.Port));
        _ = first.Receive();

        Ask(second, server, Minute(Iperf2Reverse.Together, second.EndPoint.Port) with { FlowCount = 4 });

        Wait.Until(() => !server.Observer.Notices.IsEmpty);
        Assert.Contains("share its rate", Assert.Single(server.Observer.Notices), StringComparison.Ordinal);
    }

    [Fact]
    public void Flow_WhoseAddressAnswersThatNobodyListens_IsSentNoMore()
    {
        using var server = new RunningIperf2Server(Allowing);
        using var client = new HandMadePeer();
        UdpEndPoint closed;
        using (var gone = new HandMadePeer()) closed = gone.EndPoint;

        Ask(client, server, Minute(Iperf2Reverse.Together, closed.Port));

        Assert.True(server.Observer.TakeSent() is { IsPortClosed: true, Report: null, EndTries: 1 });
        Assert.Equal(
            [$"no program listens at {closed}: the test to it was stopped"], server.Observer.Notices.ToArray());
    }

    private static Iperf2Client Open(RunningIperf2Server server, Iperf2Reverse reverse, int flowCount) =>
        Iperf2Client.Open(new Iperf2ClientOptions
        {
            Server = server.EndPoint,
            FlowCount = flowCount,
            SizeBytes = 300,
            ByteCount = 40 * 300,
            DatagramsPerSecond = 1000,
            Reverse = reverse,
            ListenPort = 0,
        });

    private static Iperf2Settings Minute(Iperf2Reverse reverse, int port) => new()
    {
        Reverse = reverse,
        FlowCount = 1,
        Port = port,
        SizeBytes = 200,
        BitsPerSecond = 160_000,
        Amount = -6000,
    };

    private static void AnswerTheEnd(HandMadePeer client)
    {
        Iperf2Header header;
        EndPoint from;
        do
        {
            Assert.True(Iperf2Header.TryRead(client.Receive(out from), isWide: true, out header));
        }
        while (header.Number > 0);

        byte[] answer = new byte[Iperf2Answer.Bytes];
        Iperf2Answer.Write(answer, new Iperf2ServerReport(1, new IperfCounts(500, 0, 1, 0, 0)));
        client.Answer(answer, from);
    }

    private static void Ask(HandMadePeer client, RunningIperf2Server server, Iperf2Settings asked)
    {
        client.Send(HandMadePeer.Asking(1, asked), server.EndPoint);
        client.Send(HandMadePeer.Asking(2, asked), server.EndPoint);
    }
}
