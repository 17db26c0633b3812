using System.Buffers.Binary;
using System.Diagnostics;
using System.Net.Sockets;
using Spate.Serving;
using Spate.Testing;

namespace Spate.Tests.Serving.Shards;

/// <summary>What handlers answer: exactly, together, and by the right socket.</summary>
public sealed class ServerReplyTests
{
    private const int WindowCount = 50;

    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:40000");

    [Theory]
    [MemberData(nameof(ServerCase.OfTwoThreads), MemberType = typeof(ServerCase))]
    public void Echo_EveryDesign_EachAnsweredOnce(ServerCase @case)
    {
        using UdpServer server = UdpServer.Start(@case.Options, TestHandler.Echo);
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        using SendBatch requests = client.CreateSendBatch();
        using ReceiveBatch answers = client.CreateReceiveBatch();
        bool[] answered = new bool[WindowCount * 40];
        for (int first = 0; first < answered.Length; first += WindowCount)
        {
            for (int i = 0; i < WindowCount; i++)
            {
                Assert.True(requests.TryReserve(100, out Span<byte> payload));
                payload.Fill((byte)(first + i));
                BinaryPrimitives.WriteInt32LittleEndian(payload, first + i);
            }

            Assert.True(client.Send(requests).AllSent);
            for (int left = WindowCount; left > 0; left -= answers.Count)
            {
                Assert.Equal(ReceiveStatus.Received, client.Receive(answers, ServerCase.Patience));
                foreach (Datagram answer in answers)
                {
                    int number = BinaryPrimitives.ReadInt32LittleEndian(answer.Payload);
                    Assert.False(answered[number], $"{number} was answered twice.");
                    Assert.False(answer.Payload[4..].ContainsAnyExcept((byte)number));
                    answered[number] = true;
                }
            }
        }

        Assert.DoesNotContain(false, answered);
        server.Dispose();
        Assert.Equal(answered.Length, server.GetStatistics().Threads.Sum(thread => thread.RepliesSent));
    }

    [Fact]
    public void Replies_ToARun_LeaveAsGsoMessages()
    {
        UdpCapabilities capabilities = UdpCapabilities.Current;
        Assert.SkipUnless(capabilities.SegmentedSend.IsAvailable, capabilities.SegmentedSend.Reason);
        const int count = 2_000;
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 },
            TestHandler.Echo);
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        using SendBatch requests = client.CreateSendBatch();
        using ReceiveBatch answers = client.CreateReceiveBatch();
        for (int done = 0; done < count; done += WindowCount)
        {
            for (int i = 0; i < WindowCount; i++) Assert.True(requests.TryReserve(100, out _));
            Assert.True(client.Send(requests).AllSent);
            for (int left = WindowCount; left > 0; left -= answers.Count)
                Assert.Equal(ReceiveStatus.Received, client.Receive(answers, ServerCase.Patience));
        }

        server.Dispose();
        UdpCounters counters = server.GetStatistics().Sockets;
        Assert.Equal(count, counters.DatagramsSent);
        Assert.True(
            counters.MessagesSent < counters.DatagramsSent / 4,
            $"{counters.MessagesSent} messages for {counters.DatagramsSent} replies.");
    }

    /// <summary>A GSO message of this host comes in one buffer, so a receive with one slot brings all of it.</summary>
    [Fact]
    public void TryForward_LongestGsoMessage_FindsRoomForEachDatagram()
    {
        UdpCapability coalesced = UdpCapabilities.Current.CoalescedReceive;
        Assert.SkipUnless(OperatingSystem.IsLinux() && coalesced.IsAvailable, "Linux with GRO is needed");
        const int count = 128, datagramBytes = 100, solUdp = 17, udpSegment = 103;
        int fullCount = 0;
        TestHandler handler = new()
        {
            Datagrams = (batch, replies) =>
            {
                foreach (Datagram datagram in batch) fullCount += replies.TryForward(datagram, datagram.Peer) ? 0 : 1;
            },
        };
        UdpServerOptions options = new()
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            ThreadCount = 1,
            ReceiveBatch = new ReceiveBatchOptions { SlotCount = 1 },
        };
        using UdpServer server = UdpServer.Start(options, _ => handler);
        using Socket client = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        client.SetRawSocketOption(solUdp, udpSegment, BitConverter.GetBytes(datagramBytes));
        client.ReceiveTimeout = (int)ServerCase.Patience.TotalMilliseconds;
        client.Connect(server.LocalEndPoints[0].ToIPEndPoint());

        Assert.SkipUnless(TrySend(client, new byte[count * datagramBytes]), "GSO messages have 128 since Linux 6.9");
        byte[] answer = new byte[datagramBytes];
        for (int i = 0; i < count; i++) Assert.Equal(datagramBytes, client.Receive(answer));

        server.Dispose();
        Assert.Equal(count, server.GetStatistics().Threads[0].MaxPerCall);
        Assert.Equal(0, fullCount);
    }

    [Fact]
    public void Flush_ReplyBatchFull_MakesRoom()
    {
        const int repliesPerRequest = 1_000, capacity = 64;
        using TestShard test = new(
            shard => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    for (int i = 0; i < repliesPerRequest; i++)
                    {
                        if (replies.TryAdd(BitConverter.GetBytes(i), batch.GetPeer(0))) continue;
                        Assert.Equal(capacity, replies.Count);
                        shard.Flush(replies);
                        Assert.Equal(0, replies.Count);
                        Assert.True(replies.TryAdd(BitConverter.GetBytes(i), batch.GetPeer(0)));
                    }
                },
            },
            new TestShardOptions { ReplyBatch = new SendBatchOptions { Capacity = capacity } });

        test.Receive(Peer, [0]);

        Assert.Equal(
            Enumerable.Range(0, repliesPerRequest),
            test.Sent.Select(sent => BinaryPrimitives.ReadInt32LittleEndian(sent.Payload.Span)));
    }

    [Fact]
    public void Flush_ForeignBatch_Refused()
    {
        using SendBatch foreign = TestBatches.CreateSendBatch();
        using TestShard test = new(shard => new TestHandler { Datagrams = (_, _) => shard.Flush(foreign) });

        Assert.Throws<ArgumentException>(() => test.Receive(Peer, [0]));
        Assert.Throws<ArgumentNullException>(() => test.Shard.Flush(null!));
    }

    [Fact]
    public void Flush_OutsideTheHandler_Refused()
    {
        SendBatch? kept = null;
        using TestShard test = new(_ => new TestHandler { Datagrams = (_, replies) => kept = replies });
        test.Receive(Peer, [0]);

        var refused = Assert.Throws<InvalidOperationException>(() => test.Shard.Flush(kept!));

        Assert.StartsWith("Flush was called outside the handler", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Flush_OnAnotherThread_RefusedAndTheRepliesLeave()
    {
        Exception? fault = null;
        using TestShard test = new(shard => new TestHandler
        {
            Datagrams = (batch, replies) =>
            {
                Assert.True(replies.TryAdd([7], batch.GetPeer(0)));
                var other = new Thread(() => fault = Record.Exception(() => shard.Flush(replies)));
                other.Start();
                other.Join();
                Assert.Equal(1, replies.Count);
            },
        });

        test.Receive(Peer, [0]);

        var refused = Assert.IsType<InvalidOperationException>(fault);
        Assert.Contains("TryEnqueue", refused.Message, StringComparison.Ordinal);
        Assert.Equal([new(Peer, [7])], test.Sent);
    }

    [Fact]
    public async Task TryAdd_OnAnotherThreadAllTheTime_TheServerSurvives()
    {
        Assert.SkipWhen(FailedAssertions.CanCome, "assertions of the library notice this misuse of a batch");
        const int requestCount = 20_000;
        using CancellationTokenSource end = new();
        SendBatch? kept = null;
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 },
            _ => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    Volatile.Write(ref kept, replies);
                    foreach (Datagram datagram in batch) replies.TryAdd(datagram.Payload, datagram.Peer);
                },
            });
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        UdpEndPoint peer = client.LocalEndPoint;
        Task misuse = Task.Run(
            () =>
            {
                // The batch may refuse it, or not notice: nothing is promised but that the server lives.
                while (!end.IsCancellationRequested) Record.Exception(() => Volatile.Read(ref kept)?.TryAdd([1], peer));
            },
            ServerCase.Cancellation);
        for (int i = 0; i < requestCount; i++) client.TrySend([2]);

        await end.CancelAsync();
        await misuse;
        Assert.False(server.Completion.IsCompleted);

        // Asked again if the server's receive buffer is still full of the requests.
        byte[] answer = new byte[8];
        long start = Stopwatch.GetTimestamp();
        while (answer[0] != 3 && Stopwatch.GetElapsedTime(start) < ServerCase.Patience)
        {
            client.Send([3]);
            while (answer[0] != 3
                && client.ReceiveFrom(answer, TimeSpan.FromMilliseconds(20), out _) == ReceiveStatus.Received)
            {
            }
        }

        Assert.Equal(3, answer[0]);
    }

    [Fact]
    public void Replies_ThatCannotBeSent_AreCountedAsRefusedAndTheServerGoesOn()
    {
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 },
            _ => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    foreach (Datagram datagram in batch)
                    {
                        Assert.True(replies.TryAdd([1], UdpEndPoint.Loopback(0)));
                        Assert.True(replies.TryAdd([2], UdpEndPoint.IPv6Loopback(9)));
                        Assert.True(replies.TryAdd([3], default));
                        Assert.True(replies.TryAdd([4], datagram.Peer));
                    }
                },
            });
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        byte[] answer = new byte[8];
        for (int round = 0; round < 3; round++)
        {
            client.Send(new byte[1]);
            Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(answer, ServerCase.Patience, out _));
            Assert.Equal(4, answer[0]);
        }

        server.Dispose();
        UdpThreadStatistics thread = Assert.Single(server.GetStatistics().Threads);
        Assert.Equal((3, 9, 0), (thread.RepliesSent, thread.RepliesRefused, thread.RepliesDropped));
        Assert.True(server.Completion.IsCompletedSuccessfully);
    }

    private static bool TrySend(Socket socket, byte[] bytes)
    {
        try
        {
            return socket.Send(bytes) == bytes.Length;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
