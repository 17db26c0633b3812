using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.TestHelpers.Iperf2;

namespace Spate.Tests.Cli.Iperf.Iperf2.Ends;

/// <summary>What a server counts and answers, of clients and of strangers.</summary>
public sealed class Iperf2ServerTests
{
    [Fact]
    public void Flow_LossCopiesAndReordering_AreCountedInBothWays()
    {
        using var server = new RunningIperf2Server();
        using var client = new HandMadePeer();
        foreach (long number in (long[])[1, 2, 2, 4, 3, 6]) client.Send(HandMadePeer.Datagram(number), server.EndPoint);

        client.Send(HandMadePeer.Datagram(-8, length: 200), server.EndPoint);

        Iperf2ServerReport answer = Iperf2Answer.Read(client.Receive())!;
        Iperf2Received received = server.Observer.TakeFinished();
        Assert.Equal(Iperf2End.Finished, received.End);
        Assert.Equal((5, 2), (received.Exact.Unique, received.Lost));
        Assert.Equal((1, 1), (received.Exact.Duplicated, received.Exact.Reordered));
        Assert.Equal((600, 0), (received.ExactBytes, received.LostBeforeFirst));
        Assert.Equal(
            new IperfCounts(800, Lost: 1, Total: 8, OutOfOrder: 2, answer.Counts.JitterSeconds), answer.Counts);
        Assert.Equal(client.EndPoint, received.Stream.Remote);
        Assert.True(received.IsAnswered);
    }

    [Fact]
    public void Flow_HeadAndTailLost_AreKnownByTheEnd()
    {
        using var server = new RunningIperf2Server();
        using var client = new HandMadePeer();
        client.Send(HandMadePeer.Datagram(4), server.EndPoint);
        client.Send(HandMadePeer.Datagram(5), server.EndPoint);

        client.Send(HandMadePeer.Datagram(-11), server.EndPoint);

        Iperf2Received received = server.Observer.TakeFinished();
        Assert.Equal((2, 8, 3), (received.Exact.Unique, received.Lost, received.LostBeforeFirst));
    }

    [Fact]
    public void Flow_OnlyTheEndArrives_IsLostAsAWhole()
    {
        using var server = new RunningIperf2Server();
        using var client = new HandMadePeer();

        client.Send(HandMadePeer.Datagram(-101), server.EndPoint);

        Iperf2Received received = server.Observer.TakeFinished();
        Assert.Equal((0, 100), (received.Exact.Unique, received.Lost));
    }

    [Fact]
    public void Flow_LastDatagramOfFourBytes_IsOneOfIts()
    {
        using var server = new RunningIperf2Server();
        using var client = new HandMadePeer();
        client.Send(HandMadePeer.Datagram(1), server.EndPoint);
        client.Send(HandMadePeer.Datagram(2), server.EndPoint);
        client.Send([0, 0, 0, 3], server.EndPoint);

        client.Send(HandMadePeer.Datagram(-4), server.EndPoint);

        Iperf2Received received = server.Observer.TakeFinished();
        Assert.Equal((3, 0, 204), (received.Exact.Unique, received.Lost, received.ExactBytes));
    }

    [Fact]
    public void End_Repeated_IsAnsweredEachTimeAndToldOnce()
    {
        using var server = new RunningIperf2Server();
        using var client = new HandMadePeer();
        client.Send(HandMadePeer.Datagram(1), server.EndPoint);
        client.Send(HandMadePeer.Datagram(-2, length: 1470), server.EndPoint);
        byte[] first = client.Receive();

        // iperf 2.1.8 numbers each copy anew.
        client.Send(HandMadePeer.Datagram(-3, length: 1470), server.EndPoint);

        Assert.Equal(first, client.Receive());
        Assert.Equal(Iperf2Answer.Bytes, first.Length);
        Assert.Equal((1, 0), (server.Observer.TakeFinished().Exact.Unique, server.Observer.Intervals.Count));
        Assert.Single(server.Observer.Started);
    }

    [Fact]
    public void End_OfAnyLength_IsAnsweredByNothingLonger()
    {
        using var server = new RunningIperf2Server(new Iperf2ServerOptions { MaxFlows = 1024 });
        for (int length = 0; length <= 160; length++)
        {
            using var client = new HandMadePeer();
            byte[] end = new byte[length];
            byte[] whole = HandMadePeer.Datagram(-2, length: 160);
            whole.AsSpan(0, length).CopyTo(end);
            client.Send(end, server.EndPoint);
            if (length >= Iperf2Answer.MinBytes) Assert.Equal(Math.Min(length, 128), client.Receive().Length);
        }

        server.Stop();
        Assert.Equal(161 - Iperf2Answer.MinBytes, server.Server.Socket.GetCounters().DatagramsSent);
    }

    [Fact]
    public void Flows_MoreThanThereIsRoomFor_LeaveTheBusyOne()
    {
        var time = new ForwardSetTime();
        using var server = new RunningIperf2Server(new Iperf2ServerOptions { MaxFlows = 4 }, time);
        using var busy = new HandMadePeer();
        busy.Send(HandMadePeer.Datagram(1), server.EndPoint);
        for (int i = 2; i <= 50; i++)
        {
            using var stranger = new HandMadePeer();
            stranger.Send(HandMadePeer.Datagram(1), server.EndPoint);
            busy.Send(HandMadePeer.Datagram(i), server.EndPoint);
        }

        busy.Send(HandMadePeer.Datagram(-51), server.EndPoint);

        Iperf2Received received = server.Observer.TakeFinished();
        Assert.Equal((50, 0), (received.Exact.Unique, received.Lost));
        Assert.InRange(server.Server.FlowCount, 1, 4);
        server.Stop();
        Assert.Contains(
            server.Observer.Notices, static notice => notice.StartsWith("ignored", StringComparison.Ordinal));
    }

    [Fact]
    public void Flow_Silent_EndsAndGivesUpItsState()
    {
        var time = new ForwardSetTime();
        using var server = new RunningIperf2Server(time: time);
        using var client = new HandMadePeer();
        client.Send(HandMadePeer.Datagram(1), server.EndPoint);
        client.Send(HandMadePeer.Datagram(2), server.EndPoint);
        Wait.Until(() => !server.Observer.Started.IsEmpty);

        time.Step(Iperf2Server.Patience);

        Iperf2Received received = server.Observer.TakeFinished();
        Assert.Equal((Iperf2End.Silent, 2), (received.End, received.Exact.Unique));
        Assert.Equal(0, server.Server.FlowCount);
    }

    [Theory]
    [InlineData("c8010099", 0)]
    [InlineData("c8010098", 0)]
    [InlineData("6c010098", 0x0400)]
    [InlineData("6c010098", 0x0800)]
    public void Flow_ThatAsksForData_IsSentNoneAndIsCounted(string flags, int upperFlags)
    {
        using var server = new RunningIperf2Server();
        using var client = new HandMadePeer();
        client.Send(HandMadePeer.Datagram(1, flags: flags, upperFlags: upperFlags), server.EndPoint);
        client.Send(HandMadePeer.Datagram(2, flags: flags, upperFlags: upperFlags), server.EndPoint);
        client.Send(HandMadePeer.Datagram(-3, length: 1470, flags: flags, upperFlags: upperFlags), server.EndPoint);
        _ = client.Receive();

        Assert.Equal(2, server.Observer.TakeFinished().Exact.Unique);
        server.Stop();
        Assert.Contains(server.Observer.Notices, static notice => notice.Contains("refused", StringComparison.Ordinal));
        Assert.Equal(1, server.Server.Socket.GetCounters().DatagramsSent);
    }

    [Fact]
    public void Address_UsedAgain_IsANewFlow()
    {
        using var server = new RunningIperf2Server();
        using var client = new HandMadePeer();
        for (int run = 0; run < 2; run++)
        {
            for (int i = 1; i <= 3; i++) client.Send(HandMadePeer.Datagram(i), server.EndPoint);
            client.Send(HandMadePeer.Datagram(-4, length: 128), server.EndPoint);
            _ = client.Receive();
            Iperf2Received received = server.Observer.TakeFinished();
            Assert.Equal((3, 0, run + 1), (received.Exact.Received, received.Lost, received.Stream.Number));
        }
    }

    [Fact]
    public void Datagrams_AtRandom_EndNothingAndAmplifyNothing()
    {
        const int count = 20_000;
        Random random = RandomCase.Create();
        using var server = new RunningIperf2Server(new Iperf2ServerOptions { MaxFlows = 8 });
        HandMadePeer[] strangers = [.. Enumerable.Range(0, 16).Select(static _ => new HandMadePeer())];
        long sentBytes = 0;
        for (int i = 0; i < count; i++)
        {
            byte[] payload = new byte[random.Next(160)];
            random.NextBytes(payload);
            sentBytes += payload.Length;
            strangers[random.Next(strangers.Length)].Send(payload, server.EndPoint);
        }

        server.Stop();
        UdpCounters counters = server.Server.Socket.GetCounters();
        foreach (HandMadePeer stranger in strangers) stranger.Dispose();

        Assert.InRange(counters.DatagramsSent, 0, counters.DatagramsReceived);
        Assert.InRange(counters.BytesSent, 0, sentBytes);
        Assert.InRange(server.Server.FlowCount, 0, 8);
    }

    [Fact]
    public void Numbers_AtTheirLimits_AreCountedOrIgnored()
    {
        using var server = new RunningIperf2Server();
        using var client = new HandMadePeer();
        foreach (long number in (long[])[1, 2, long.MaxValue, long.MinValue, (1L << 62) - 1, int.MinValue])
        {
            client.Send(HandMadePeer.Datagram(number, length: 128), server.EndPoint);
        }

        Iperf2Received received = server.Observer.TakeFinished();
        Assert.Equal(3, received.Exact.Unique);
        Assert.Equal((1L << 62) - 4, received.Lost);
    }

    [Fact]
    public void Interval_Over_HasItsPartOfTheCounts()
    {
        var time = new ForwardSetTime();
        using var server = new RunningIperf2Server(
            new Iperf2ServerOptions { Interval = TimeSpan.FromSeconds(1) }, time);
        using var client = new HandMadePeer();
        for (int i = 1; i <= 4; i++) client.Send(HandMadePeer.Datagram(i), server.EndPoint);
        Wait.Until(() => server.Server.Socket.GetCounters().DatagramsReceived == 4);
        Wait.Until(() => !server.Observer.Started.IsEmpty);

        time.Step(TimeSpan.FromSeconds(2));

        Wait.Until(() => server.Observer.Intervals.Count == 2);
        IperfInterval[] intervals = [.. server.Observer.Intervals];
        Assert.Equal([400, 0], intervals.Select(static interval => interval.Rows[0].Counts.Bytes));
        Assert.Equal([0, 1], intervals.Select(static interval => interval.StartSeconds));
        Assert.Equal(4, intervals[0].Rows[0].Counts.Total);
    }

    [Fact]
    public void Interval_OverForStrangersOfOneDatagram_HoldsUpNoFlow()
    {
        var time = new ForwardSetTime();
        using var server = new RunningIperf2Server(
            new Iperf2ServerOptions { Interval = TimeSpan.FromSeconds(1) }, time);
        using var stranger = new HandMadePeer();
        stranger.Send(HandMadePeer.Datagram(1), server.EndPoint);
        Wait.Until(() => server.Server.FlowCount == 1);

        // Between the end of its interval, which nobody asks for, and the end of the server's patience with it.
        time.Step(TimeSpan.FromSeconds(3));
        using var client = new HandMadePeer();
        client.Send(HandMadePeer.Datagram(1), server.EndPoint);
        client.Send(HandMadePeer.Datagram(2), server.EndPoint);
        Wait.Until(() => !server.Observer.Started.IsEmpty);
        time.Step(TimeSpan.FromSeconds(1));
        Wait.Until(() => !server.Observer.Intervals.IsEmpty);
        client.Send(HandMadePeer.Datagram(-3, length: 128), server.EndPoint);

        Assert.Equal(2, server.Observer.TakeFinished().Exact.Unique);
        Assert.Equal(200, server.Observer.Intervals.First().Rows[0].Counts.Bytes);
        server.Stop();
        Assert.Equal(client.EndPoint, Assert.Single(server.Observer.Started).Remote);
    }

    [Fact]
    public void Intervals_MoreThanThereIsRoomFor_AreCountedAsLeftOut()
    {
        var time = new ForwardSetTime();
        using var server = new RunningIperf2Server(
            new Iperf2ServerOptions { Interval = TimeSpan.FromMilliseconds(1) }, time);
        using var client = new HandMadePeer();
        client.Send(HandMadePeer.Datagram(1), server.EndPoint);
        client.Send(HandMadePeer.Datagram(2), server.EndPoint);
        Wait.Until(() => !server.Observer.Started.IsEmpty);

        time.Step(TimeSpan.FromSeconds(5));
        Wait.Until(() => server.Observer.Intervals.Any(static interval => interval.EndSeconds > 5));
        server.Stop();

        int made = (int)Math.Round(server.Observer.Intervals.Last().EndSeconds * 1000);
        int leftOut = made - server.Observer.Intervals.Count;
        Assert.InRange(leftOut, 1, made);
        Assert.Equal($"flow lines not printed: {leftOut}", Assert.Single(server.Observer.Notices));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1)]
    [InlineData(long.MaxValue)]
    public void Open_IntervalOutOfRange_IsRefused(long ticks)
    {
        var options = new Iperf2ServerOptions
        {
            Local = UdpEndPoint.Loopback(0),
            Interval = TimeSpan.FromTicks(ticks),
        };

        Assert.Throws<ArgumentOutOfRangeException>(() => Iperf2Server.Open(options));
    }

    [Fact]
    public void End_SentToABroadcastAddress_EndsNothing()
    {
        using var server = new RunningIperf2Server(new Iperf2ServerOptions { Local = UdpEndPoint.Any(0) });
        using var stranger = new HandMadePeer();
        var everyone = UdpEndPoint.Parse($"127.255.255.255:{server.EndPoint.Port}");
        for (int i = 0; i < 10; i++) stranger.Send(HandMadePeer.Datagram(-2, length: 200), everyone);
        using var client = new HandMadePeer();
        client.Send(HandMadePeer.Datagram(1), UdpEndPoint.Loopback(server.EndPoint.Port));
        client.Send(HandMadePeer.Datagram(-2, length: 200), UdpEndPoint.Loopback(server.EndPoint.Port));

        Assert.NotNull(Iperf2Answer.Read(client.Receive()));
    }

    /// <summary>The system's clock, set forward by a test.</summary>
    private sealed class ForwardSetTime : TimeProvider
    {
        private long _ticks;

        public void Step(TimeSpan time) => Interlocked.Add(ref _ticks, (long)(time.TotalSeconds * TimestampFrequency));

        public override long GetTimestamp() => base.GetTimestamp() + Volatile.Read(ref _ticks);
    }
}
