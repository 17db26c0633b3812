using System.Net.Sockets;
using Spate.Serving;
using Spate.Testing;
using Spate.Tests.Serving;

namespace Spate.Tests.Testing;

/// <summary>A shard without a socket receives and sends like the shard of a server.</summary>
public sealed class TestShardTests
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:40000");
    private static readonly UdpEndPoint Other = UdpEndPoint.Parse("192.0.2.2:40000");

    [Fact]
    public void Receive_SeveralDatagrams_AreOneBatchInOrder()
    {
        List<int> counts = [];
        using TestShard shard = new(self => Counting(self, counts));

        shard.ReceiveBatch(new(Peer, [1]), new(Other, []), new(Peer, [3, 3]));

        Assert.Equal([3], counts);
        Assert.Equal([new(Peer, [1]), new(Other, []), new(Peer, [3, 3])], shard.Sent);
        Assert.Equal((3, 3L), (shard.GetStatistics().Datagrams, shard.GetStatistics().Bytes));
    }

    [Fact]
    public void Receive_MoreThanSlots_AreSeveralBatches()
    {
        List<int> counts = [];
        TestShardOptions options = new() { ReceiveBatch = new ReceiveBatchOptions { SlotCount = 2 } };
        using TestShard shard = new(self => Counting(self, counts), options);

        shard.ReceiveBatch(new(Peer, [1]), new(Peer, [2]), new(Peer, [3]));

        Assert.Equal([2, 1], counts);
        Assert.Equal([1, 2, 3], shard.Sent.Select(sent => (int)sent.Payload.Span[0]));
    }

    [Fact]
    public void Receive_Metadata_IsThatOfTheDatagram()
    {
        IncomingDatagram sent = new(Peer, [7])
        {
            LocalAddress = UdpAddress.Parse("198.51.100.7"),
            InterfaceIndex = 3,
            TrafficClass = 0xB9,
            TimeToLive = 5,
            TimestampUnixNanoseconds = 11,
            IsTruncated = true,
        };
        List<IncomingDatagram> seen = [];
        using TestShard shard = new(_ => new TestHandler
        {
            Datagrams = (batch, replies) =>
            {
                foreach (Datagram datagram in batch)
                {
                    seen.Add(Copy(datagram));
                    Assert.True(replies.TryReserveReply(datagram, 0, out Span<byte> _));
                }
            },
        });

        shard.ReceiveBatch(sent, new(Peer, [8]), new(Peer, []) { LocalAddress = UdpAddress.Parse("233.252.0.1") });

        Assert.Equal(sent, seen[0]);
        Assert.Equal(new IncomingDatagram(Peer, [8]), seen[1]);
        Assert.Equal(
            [sent.LocalAddress, default, default], shard.Sent.Select(reply => reply.Control.LocalAddress));
    }

    [Fact]
    public void Receive_LongerThanTheSlot_IsTruncated()
    {
        TestShardOptions options = new() { ReceiveBatch = new ReceiveBatchOptions { SlotBytes = 10 } };
        List<bool> truncated = [];
        using TestShard shard = new(
            _ => new TestHandler { Datagrams = (batch, _) => truncated.Add(batch[0].IsTruncated) }, options);

        shard.Receive(Peer, new byte[10]);
        shard.Receive(Peer, new byte[11]);

        Assert.Equal([false, true], truncated);
        Assert.Equal(20, shard.GetStatistics().Bytes);
    }

    [Fact]
    public void Receive_LongPayload_IsWhole()
    {
        byte[] payload = new byte[SendBatch.MaxPayloadBytes];
        payload[^1] = 9;
        UdpEndPoint peer = UdpEndPoint.Parse("[2001:db8::1]:40000");
        TestShardOptions options = new() { LocalEndPoints = [UdpEndPoint.IPv6Any(9999)] };
        using TestShard shard = new(TestHandler.Echo, options);

        shard.Receive(peer, payload);

        Assert.Equal(new SentDatagram(peer, payload), Assert.Single(shard.Sent));
    }

    [Fact]
    public void Receive_SeveralLocalEndPoints_AnsweredByTheSame()
    {
        TestShardOptions options = new() { LocalEndPoints = [UdpEndPoint.Any(53), UdpEndPoint.IPv6Any(53)] };
        List<int> indexes = [];
        using TestShard shard = new(
            self => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    indexes.Add(self.LocalEndPointIndex);
                    Assert.Same(replies, self.GetReplies(self.LocalEndPointIndex));
                    Assert.True(self.GetReplies(1).TryAdd(batch[0].Payload, batch.GetPeer(0)));
                },
            },
            options);

        shard.Receive(Peer, [1]);
        shard.Receive(Peer, [2], localEndPointIndex: 1);
        shard.ReceiveBatch(
            new(Peer, [3]), new(Peer, [4]) { LocalEndPointIndex = 1 }, new(Peer, [5]) { LocalEndPointIndex = 1 });

        Assert.Equal([0, 1, 0, 1], indexes);
        Assert.Equal([1, 2, 3, 4], shard.Sent.Select(sent => (int)sent.Payload.Span[0]));
        Assert.All(shard.Sent, sent => Assert.Equal(1, sent.LocalEndPointIndex));
        Assert.Throws<ArgumentOutOfRangeException>(() => shard.Receive(Peer, [1], localEndPointIndex: 2));
        UdpEndPoint peer = UdpEndPoint.Parse("[2001:db8::1]:40000");
        Assert.Throws<ArgumentException>(() => shard.Receive(peer, [1]));
        shard.Receive(peer, [1], localEndPointIndex: 1);
        Assert.Equal(options.LocalEndPoints, shard.Shard.LocalEndPoints);
    }

    [Fact]
    public void Receive_HandlerThrows_ThrownAfterItIsCounted()
    {
        List<UdpServerFault> reports = [];
        using TestShard shard = new(
            _ => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    Assert.True(replies.TryAdd(batch[0].Payload, batch.GetPeer(0)));
                    if (batch[0].Payload[0] == 0) throw new FormatException("Bad.");
                },
            },
            new TestShardOptions { OnFault = reports.Add });

        Assert.Throws<FormatException>(() => shard.Receive(Peer, [0]));
        Assert.Throws<FormatException>(() => shard.Receive(Peer, [0]));
        shard.Receive(Peer, [1]);

        Assert.Equal(1, Assert.Single(shard.Sent).Payload.Span[0]);
        Assert.Equal(2, shard.Faults.Count);
        Assert.Single(reports);
        UdpThreadStatistics statistics = shard.GetStatistics();
        Assert.Equal(
            (2, 2, 2, 1),
            (statistics.HandlerFaults, statistics.DatagramsFaulted, statistics.RepliesDropped, statistics.RepliesSent));
    }

    [Fact]
    public void Receive_HandlerThrowsAndThrowOnFaultIsOff_OnlyRecorded()
    {
        using TestShard shard = new(
            _ => new TestHandler { Datagrams = (_, _) => throw new FormatException("Bad.") },
            new TestShardOptions { ThrowOnFault = false });

        shard.Receive(Peer, [0]);

        Assert.IsType<FormatException>(Assert.Single(shard.Faults));
    }

    [Fact]
    public void Receive_InTheHandler_Refused()
    {
        TestShard? shard = null;
        shard = new TestShard(_ => new TestHandler { Datagrams = (_, _) => shard!.Receive(Peer, []) });

        Assert.Throws<InvalidOperationException>(() => shard.Receive(Peer, []));

        shard.Dispose();
    }

    [Fact]
    public void Run_Posted_SentByItsEndPoint()
    {
        TestShardOptions options = new() { LocalEndPoints = [UdpEndPoint.Any(53), UdpEndPoint.Any(54)] };
        using TestShard shard = new(_ => new TestHandler(), options);
        bool posted = false;
        Thread other = new(() => posted = shard.Shard.TryEnqueue([5], Peer, localEndPointIndex: 1));
        other.Start();
        other.Join();

        Assert.True(posted);
        Assert.Empty(shard.Sent);
        shard.Run();

        Assert.Equal([new(Peer, [5]) { LocalEndPointIndex = 1 }], shard.TakeSent());
        Assert.Empty(shard.Sent);
    }

    [Fact]
    public void Refused_DatagramsThatEverySystemRefuses_HaveTheirReasons()
    {
        using TestShard shard = new(_ => new TestHandler
        {
            Datagrams = (_, replies) =>
            {
                Assert.True(replies.TryAdd([1], UdpEndPoint.Loopback(0)));
                Assert.True(replies.TryAdd([2], UdpEndPoint.IPv6Loopback(9)));
                Assert.True(replies.TryAdd([3], default));
                Assert.True(replies.TryAdd(new byte[65_508], Peer));
                Assert.True(replies.TryAdd([4], Peer));
            },
        });

        shard.Receive(Peer, []);

        Assert.Equal(4, Assert.Single(shard.Sent).Payload.Span[0]);
        Assert.Equal((1, 4), (shard.GetStatistics().RepliesSent, shard.GetStatistics().RepliesRefused));
        Assert.Equal(
            [
                SocketError.InvalidArgument, SocketError.AddressFamilyNotSupported, SocketError.InvalidArgument,
                SocketError.MessageSize,
            ],
            shard.Refused.Select(refused => refused.Error));
        Assert.Equal(new SentDatagram(UdpEndPoint.Loopback(0), [1]), shard.Refused[0].Datagram);
        Assert.Equal(65_508, shard.Refused[3].Datagram.Payload.Length);
    }

    [Fact]
    public void Sent_Control_IsThatOfTheReply()
    {
        SendControl control = new() { TimeToLive = 3, TrafficClass = 8 };
        using TestShard shard = new(_ => new TestHandler
        {
            Datagrams = (batch, replies) => Assert.True(replies.TryForward(batch[0], batch.GetPeer(0), control)),
        });

        shard.Receive(Peer, [1]);

        Assert.Equal(new SentDatagram(Peer, [1]) { Control = control }, Assert.Single(shard.Sent));
    }

    [Fact]
    public void Stop_Running_PostsAndLastRepliesLeaveBeforeTheHandlerIsDisposed()
    {
        List<string> steps = [];
        TestShard shard = new(_ => new TestHandler
        {
            Stop = replies =>
            {
                steps.Add("stop");
                Assert.True(replies.TryAdd([2], Peer));
            },
            Disposed = () => steps.Add("disposed"),
        });
        Assert.True(shard.Shard.TryEnqueue([1], Peer));

        shard.Stop();
        shard.Stop();
        shard.Dispose();

        Assert.Equal(["stop", "disposed"], steps);
        Assert.Equal([new(Peer, [1]), new(Peer, [2])], shard.Sent);
        Assert.Equal(2, shard.GetStatistics().RepliesSent);
        Assert.False(shard.Shard.TryEnqueue([3], Peer));
        Assert.Throws<ObjectDisposedException>(() => shard.Receive(Peer, []));
        Assert.Throws<ObjectDisposedException>(shard.Run);
        Assert.Throws<ObjectDisposedException>(() => shard.Advance(TimeSpan.Zero));
    }

    [Fact]
    public void Stop_CallerHasSynchronizationContext_AsyncDisposeNeedsItNot()
    {
        SynchronizationContext? before = SynchronizationContext.Current;
        SynchronizationContext callers = new StandingContext();
        SynchronizationContext.SetSynchronizationContext(callers);
        try
        {
            AsyncHandler handler = new();
            TestShard shard = new(_ => handler);

            shard.Stop();

            Assert.True(handler.IsDisposed);
            Assert.Same(callers, SynchronizationContext.Current);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }
    }

    [Fact]
    public void Stop_HandlerThrows_StopThrowsAndDisposeDoesNot()
    {
        TestShard stopped = new(Throwing), disposed = new(Throwing);

        Assert.Throws<FormatException>(stopped.Stop);
        disposed.Dispose();

        Assert.Equal(2, stopped.Faults.Count);
        Assert.Equal(2, disposed.Faults.Count);

        static TestHandler Throwing(UdpShard shard) => new()
        {
            Stop = _ => throw new FormatException("Stop."),
            Disposed = () => throw new FormatException("Dispose."),
        };
    }

    [Fact]
    public void Constructor_WrongArguments_Refused()
    {
        Assert.Throws<FormatException>(() => new TestShard(_ => throw new FormatException("No handler.")));
        Assert.Throws<InvalidOperationException>(() => new TestShard(_ => null!));
        Assert.Throws<ArgumentNullException>(() => new TestShard(null!));
        Assert.Throws<ArgumentException>(() => new TestShard(
            TestHandler.Echo, new TestShardOptions { LocalEndPoints = [] }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new TestShard(
            TestHandler.Echo, new TestShardOptions { TickInterval = TimeSpan.Zero }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new TestShard(
            TestHandler.Echo, new TestShardOptions { ShardIndex = -1 }));
    }

    private static TestHandler Counting(UdpShard shard, List<int> counts)
    {
        TestHandler echo = TestHandler.Echo(shard);
        return new TestHandler
        {
            Datagrams = (batch, replies) =>
            {
                counts.Add(batch.Count);
                echo.OnDatagrams(batch, replies);
            },
        };
    }

    private static IncomingDatagram Copy(in Datagram datagram) => new(datagram.Peer, datagram.Payload)
    {
        LocalAddress = datagram.LocalAddress,
        InterfaceIndex = datagram.InterfaceIndex,
        TrafficClass = datagram.TrafficClass,
        TimeToLive = datagram.TimeToLive,
        TimestampUnixNanoseconds = datagram.TimestampUnixNanoseconds,
        IsTruncated = datagram.IsTruncated,
    };

    private sealed class AsyncHandler : UdpHandler, IAsyncDisposable
    {
        public bool IsDisposed { get; private set; }

        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
        }

        public async ValueTask DisposeAsync()
        {
            Assert.Null(SynchronizationContext.Current);
            await Task.Yield();
            IsDisposed = true;
        }
    }

    /// <summary>A context whose only thread is that of the caller, which runs no posted call.</summary>
    private sealed class StandingContext : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
        }
    }
}
