using Microsoft.Extensions.Time.Testing;
using Spate.Serving;
using Spate.Testing;
using Spate.Tests.Serving;

namespace Spate.Tests.Testing;

/// <summary>The virtual time of a shard: ticks, sessions, and waits for room in the send buffer.</summary>
public sealed class TestShardTimeTests
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:40000");
    private static readonly UdpEndPoint Other = UdpEndPoint.Parse("192.0.2.2:40000");

    [Fact]
    public void Run_PostedInATick_Sent()
    {
        TestShardOptions options = new() { TickInterval = TimeSpan.FromSeconds(1) };
        using TestShard shard = new(
            self => new TestHandler { Tick = (_, _) => Assert.True(self.TryEnqueue([1], Peer)) }, options);

        shard.Advance(TimeSpan.FromSeconds(1));

        Assert.Single(shard.Sent);
    }

    [Fact]
    public void Advance_SeveralIntervals_EachTickAtItsTime()
    {
        List<TimeSpan> ticks = [];
        using TestShard shard = new(
            _ => new TestHandler { Tick = (now, _) => ticks.Add(now) },
            new TestShardOptions { TickInterval = TimeSpan.FromSeconds(10) });

        shard.Advance(TimeSpan.FromSeconds(9.5));
        Assert.Empty(ticks);
        shard.Advance(TimeSpan.FromSeconds(25));

        Assert.Equal([10, 20, 30], ticks.Select(tick => tick.TotalSeconds));
    }

    [Fact]
    public void Run_TimeWasMovedByOthers_MissedTicksAreOne()
    {
        FakeTimeProvider time = new();
        List<TimeSpan> ticks = [];
        using TestShard shard = new(
            _ => new TestHandler { Tick = (now, _) => ticks.Add(now) },
            new TestShardOptions { TickInterval = TimeSpan.FromSeconds(10), TimeProvider = time });

        time.Advance(TimeSpan.FromSeconds(35));
        shard.Run();

        Assert.Equal(35, Assert.Single(ticks).TotalSeconds);
    }

    [Fact]
    public void Advance_EveryTickThrows_AllAreRunAndTheFirstIsThrown()
    {
        int count = 0;
        using TestShard shard = new(
            _ => new TestHandler { Tick = (_, _) => throw new FormatException($"{++count}") },
            new TestShardOptions { TickInterval = TimeSpan.FromSeconds(1) });

        var first = Assert.Throws<FormatException>(() => shard.Advance(TimeSpan.FromSeconds(3)));

        Assert.Equal(("1", 3), (first.Message, shard.Faults.Count));
    }

    [Fact]
    public void SendBufferRoom_None_RepliesWaitInVirtualTimeAndAreDropped()
    {
        TestShardOptions options = new() { ReplyTimeout = TimeSpan.FromSeconds(5) };
        using TestShard shard = new(TestHandler.Echo, options);
        shard.SendBufferRoom = 1;
        DateTimeOffset start = shard.TimeProvider.GetUtcNow();

        shard.ReceiveBatch(new(Peer, [1]), new(Peer, [2]), new(Peer, [3]));

        Assert.Equal(1, Assert.Single(shard.Sent).Payload.Span[0]);
        Assert.Equal((1, 2), (shard.GetStatistics().RepliesSent, shard.GetStatistics().RepliesDropped));
        Assert.Equal(options.ReplyTimeout, shard.TimeProvider.GetUtcNow() - start);
        shard.SendBufferRoom = null;
        shard.Receive(Peer, [4]);
        Assert.Equal(4, shard.Sent[1].Payload.Span[0]);
    }

    [Fact]
    public void SendBufferRoom_NoneAndEachTickPosts_CallsEnd()
    {
        int ticks = 0;
        TestShardOptions options = new()
        {
            TickInterval = TimeSpan.FromSeconds(1),
            ReplyTimeout = TimeSpan.FromSeconds(2),
        };
        using TestShard shard = new(self => new TestHandler { Tick = (_, _) => Post(self) }, options);
        shard.SendBufferRoom = 0;

        shard.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((2, 1), (ticks, shard.GetStatistics().RepliesDropped));
        shard.Run();
        Assert.Equal((3, 2), (ticks, shard.GetStatistics().RepliesDropped));
        shard.SendBufferRoom = null;
        shard.Run();

        Assert.Equal(3, Assert.Single(shard.Sent).Payload.Span[0]);

        void Post(UdpShard self)
        {
            Assert.True(++ticks < 10, "The call does not end.");
            Assert.True(self.TryEnqueue([(byte)ticks], Peer));
        }
    }

    [Fact]
    public void SendBufferRoom_ComesBackInTime_AllAreSentInOrder()
    {
        using TestShard shard = new(TestHandler.Echo);
        shard.SendBufferRoom = 0;
        using ITimer timer = shard.TimeProvider.CreateTimer(
            _ => shard.SendBufferRoom = null, null, TimeSpan.FromMilliseconds(300), Timeout.InfiniteTimeSpan);

        shard.ReceiveBatch(new(Peer, [1]), new(Other, [2]));

        Assert.Equal([new(Peer, [1]), new(Other, [2])], shard.Sent);
        Assert.Equal(0, shard.GetStatistics().RepliesDropped);
        Assert.Throws<ArgumentOutOfRangeException>(() => shard.SendBufferRoom = -1);
    }

    [Fact]
    public void CreateSessionTable_ByKeepsPeers_AgesInVirtualTimeOrIsRefused()
    {
        List<SessionEndReason> ends = [];
        SessionTable<int>? sessions = null;
        TestShardOptions options = new() { TickInterval = TimeSpan.FromSeconds(1), ShardIndex = 3 };
        TestShard shard = new(
            self =>
            {
                Assert.Equal((3, true), (self.Index, self.KeepsPeers));
                sessions = self.CreateSessionTable<int>(
                    new SessionTableOptions { IdleLimit = TimeSpan.FromSeconds(60) },
                    (in _, ref _, end) => ends.Add(end));
                return new TestHandler
                {
                    Datagrams = (batch, _) => sessions.GetOrAdmit(batch.GetPeer(0), out SessionRef<int> _),
                    Tick = (_, _) => sessions.RemoveExpired(),
                };
            },
            options);

        shard.Receive(Peer, []);
        shard.Advance(TimeSpan.FromSeconds(59));
        Assert.Equal(1, sessions!.Count);
        shard.Receive(Other, []);
        shard.Advance(TimeSpan.FromSeconds(30));
        Assert.Equal([SessionEndReason.Expired], ends);
        shard.Stop();

        Assert.Equal([SessionEndReason.Expired, SessionEndReason.Stopped], ends);
        Assert.Throws<NotSupportedException>(() => new TestShard(
            self =>
            {
                self.CreateSessionTable<int>();
                return new TestHandler();
            },
            new TestShardOptions { KeepsPeers = false }));
    }
}
