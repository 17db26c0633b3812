using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Time.Testing;
using Spate;
using Spate.Serving;
using Spate.Testing;
using Xunit;

namespace Snippets;

/// <summary>The tests of docs/start/testing.md. They run as a part of tests/Spate.Tests.</summary>
public sealed class HandlerTests
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:40000");
    private static readonly UdpEndPoint Other = UdpEndPoint.Parse("192.0.2.2:40000");

    // docs: batch
    [Fact]
    public void OnDatagrams_ABatchOfTwoPeers_EachGetsItsOwn()
    {
        using TestShard shard = new(_ => new EchoHandler());

        shard.ReceiveBatch(new(Peer, "a"u8), new(Other, "b"u8), new(Peer, "c"u8) { TimeToLive = 1 });

        Assert.Equal([new(Peer, "a"u8), new(Other, "b"u8), new(Peer, "c"u8)], shard.Sent);
    }
    // end

    // docs: ticks
    [Fact]
    public void OnTick_PeerIsKnown_GetsATickEachSecondAndAGoodBye()
    {
        using TestShard shard = new(
            s => new ClockHandler(s), new TestShardOptions { TickInterval = TimeSpan.FromSeconds(1) });
        shard.Receive(Peer, ""u8);
        Assert.Equal(sizeof(long), Assert.Single(shard.TakeSent()).Payload.Length);

        shard.Advance(TimeSpan.FromSeconds(2.5));
        Assert.Equal([new(Peer, "tick"u8), new(Peer, "tick"u8)], shard.TakeSent());

        shard.Stop();
        Assert.Equal([new(Peer, "bye"u8)], shard.TakeSent());
    }
    // end

    // docs: sessions
    [Fact]
    public void OnTick_PeerIsSilent_ItsSessionEnds()
    {
        using TestShard shard = new(
            s => new SessionHandler(s), new TestShardOptions { TickInterval = TimeSpan.FromSeconds(1) });
        shard.Receive(Peer, new byte[16]);
        ReadOnlyMemory<byte> cookie = Assert.Single(shard.TakeSent()).Payload;
        shard.Receive(Peer, cookie.Span);                           // a peer that has its cookie gets a session

        shard.Advance(TimeSpan.FromSeconds(29));
        Assert.Equal(29, shard.TakeSent().Count);                   // "state" in each tick

        shard.Advance(TimeSpan.FromSeconds(15));                    // idle for more than 1.3 limits of 30 s
        shard.TakeSent();
        shard.Advance(TimeSpan.FromSeconds(5));
        Assert.Empty(shard.Sent);
    }
    // end

    // docs: table
    [Fact]
    public void RemoveExpired_SessionIsIdle_Ends()
    {
        FakeTimeProvider time = new();
        SessionTable<int> sessions = new(
            new SessionTableOptions { IdleTimeout = TimeSpan.FromMinutes(1), TimeProvider = time });
        Assert.Equal(SessionAdmission.Admitted, sessions.GetOrAdmit(Peer, out SessionRef<int> _));

        time.Advance(TimeSpan.FromMinutes(2));
        sessions.RemoveExpired();

        Assert.Equal(0, sessions.Count);
    }
    // end

    // docs: refused
    [Fact]
    public void Constructor_PeersAreNotKept_SessionsAreRefused()
    {
        TestShardOptions options = new() { KeepsPeers = false };

        Assert.Throws<NotSupportedException>(() => new TestShard(s => new SessionHandler(s), options));
    }
    // end

    // docs: faults
    [Fact]
    public void OnDatagrams_BadDatagram_DropsItsBatchAndGoesOn()
    {
        using TestShard shard = new(_ => new StrictHandler());

        Assert.Throws<FormatException>(() => shard.ReceiveBatch(new(Peer, "good"u8), new(Other, "bad"u8)));
        shard.Receive(Peer, "good"u8);

        Assert.Single(shard.Sent);                                  // the reply of the first batch was dropped
        Assert.Equal((2, 1), (shard.GetStatistics().DatagramsFaulted, shard.GetStatistics().RepliesDropped));
    }
    // end

    // docs: enqueue
    [Fact]
    public async Task TryEnqueue_OnAnotherThread_IsSentByTheNextRun()
    {
        using TestShard shard = new(_ => new EchoHandler());

        Assert.True(await Task.Run(() => shard.Shard.TryEnqueue("news"u8, Peer)));
        shard.Run();

        Assert.Equal([new(Peer, "news"u8)], shard.Sent);
    }
    // end

    // docs: channel
    [Fact]
    public void Reader_Replies_SentByTheNextRun()
    {
        UdpChannelHandler? handler = null;
        using TestShard shard = new(s => handler = new UdpChannelHandler(s));
        shard.Receive(Peer, "question"u8);

        Assert.True(handler!.Reader.TryRead(out UdpChannelDatagram datagram));
        using (datagram) Assert.True(datagram.TryReply("answer"u8));
        shard.Run();

        Assert.Equal([new(Peer, "answer"u8)], shard.Sent);
    }
    // end

    // docs: end-points
    [Fact]
    public void OnDatagrams_SecondEndPoint_AnswersFromThere()
    {
        TestShardOptions options = new() { LocalEndPoints = [UdpEndPoint.Any(53), UdpEndPoint.IPv6Any(53)] };
        using TestShard shard = new(_ => new EchoHandler(), options);
        UdpEndPoint peer = UdpEndPoint.Parse("[2001:db8::1]:40000");

        shard.Receive(peer, "hello"u8, localEndPointIndex: 1);

        Assert.Equal(new SentDatagram(peer, "hello"u8) { LocalEndPointIndex = 1 }, Assert.Single(shard.Sent));
    }
    // end

    // docs: full
    [Fact]
    public void OnDatagrams_SendBufferIsFull_RepliesAreDroppedInTime()
    {
        TestShardOptions options = new() { ReplyTimeout = TimeSpan.FromSeconds(5) };
        using TestShard shard = new(_ => new EchoHandler(), options);
        shard.SendBufferRoom = 1;                                   // room for one datagram

        shard.ReceiveBatch(new(Peer, "a"u8), new(Peer, "b"u8));     // waits for 5 s of virtual time

        Assert.Equal([new(Peer, "a"u8)], shard.Sent);
        Assert.Equal(1, shard.GetStatistics().RepliesDropped);
    }

    [Fact]
    public void OnDatagrams_SendBufferHasRoomAgain_AllIsSent()
    {
        using TestShard shard = new(_ => new EchoHandler());
        shard.SendBufferRoom = 0;
        using ITimer timer = shard.TimeProvider.CreateTimer(
            _ => shard.SendBufferRoom = null, null, TimeSpan.FromMilliseconds(300), Timeout.InfiniteTimeSpan);

        shard.Receive(Peer, "a"u8);

        Assert.Single(shard.Sent);
    }
    // end

    // docs: di
    [Fact]
    public void OnDatagrams_HandlerWithServices_Runs()
    {
        using ServiceProvider services = new ServiceCollection()
            .AddSingleton<World>()
            .AddSingleton(typeof(Microsoft.Extensions.Logging.ILogger<>), typeof(NullLogger<>))
            .BuildServiceProvider();
        using TestShard shard = new(s => ActivatorUtilities.CreateInstance<GameHandler>(services, s));

        shard.Receive(Peer, "move"u8);

        Assert.Equal(1, shard.GetStatistics().Datagrams);
    }
    // end

    // docs: batches
    [Fact]
    public void Answer_TwoDatagrams_IsTheirSum()
    {
        using ReceiveBatch batch = TestBatches.CreateReceiveBatch(new(Peer, [1]), new(Peer, [2]));
        using SendBatch replies = TestBatches.CreateSendBatch();

        Adder.Answer(batch, replies);

        Assert.Equal([new(Peer, [3])], TestBatches.GetDatagrams(replies));
    }
    // end

    // docs: loopback
    [Fact]
    public async Task Server_OnLoopback_Answers()
    {
        await using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 },
            _ => new EchoHandler());
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);   // the port that the system chose
        client.Send("hello"u8);

        byte[] answer = new byte[64];
        ReceiveStatus status = client.ReceiveFrom(answer, TimeSpan.FromSeconds(30), out ReceivedDatagram received);

        Assert.Equal((ReceiveStatus.Received, 5), (status, received.Length));
    }
    // end
}

// docs: faults
internal sealed class StrictHandler : UdpHandler
{
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            if (!datagram.Payload.SequenceEqual("good"u8)) throw new FormatException("A bad datagram.");
            replies.TryForward(datagram, datagram.Peer);
        }
    }
}
// end

/// <summary>Code of the reader's own that takes batches.</summary>
internal static class Adder
{
    public static void Answer(ReceiveBatch batch, SendBatch replies)
    {
        byte sum = 0;
        foreach (Datagram datagram in batch) sum += datagram.Payload[0];
        replies.TryAdd([sum], batch.GetPeer(0));
    }
}
