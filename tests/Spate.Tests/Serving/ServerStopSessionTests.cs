using System.Collections.Concurrent;
using Spate.Serving;
using Spate.Testing;

namespace Spate.Tests.Serving;

/// <summary>Whatever ends a thread of a server, its sessions end with it, once each and on that thread.</summary>
public sealed class ServerStopSessionTests
{
    private const int PeerCount = 40;

    private readonly ConcurrentQueue<(int Shard, UdpEndPoint Peer, SessionEndReason Reason, bool OnItsThread)> _ends =
        new();

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public async Task StopAsync_SessionsAreKept_EachIsEndedOnceBetweenStopAndDispose(UdpServerDesign design)
    {
        int endsAtStop = -1, endsAtDispose = -1;
        UdpServer server = UdpServer.Start(
            Options(design, 1),
            shard => Handler(shard, stop: () => endsAtStop = _ends.Count, disposed: () => endsAtDispose = _ends.Count));
        UdpEndPoint[] peers = AdmitPeers(server);

        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);
        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);

        AssertEnded(peers);
        Assert.Equal((0, PeerCount), (endsAtStop, endsAtDispose));
    }

    [Fact]
    public async Task SetThreadCount_ToFewer_TheSessionsOfTheShardThatGoesEnd()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Shards are taken away by steering programs.");
        UdpServer server = UdpServer.Start(Options(UdpServerDesign.Sharded, 2), shard => Handler(shard));
        UdpEndPoint[] peers = AdmitPeers(server);

        await server.SetThreadCountAsync(1, ServerCase.Cancellation);

        Assert.NotEmpty(_ends);
        Assert.True(_ends.Count < PeerCount, "The peers of the shard that stays have lost their sessions.");
        Assert.All(_ends, end => Assert.Equal(1, end.Shard));
        await server.DisposeAsync();
        AssertEnded(peers);
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public async Task Thread_EndsByAFault_ItsSessionsEnd(UdpServerDesign design)
    {
        BrokenTime time = new();
        UdpServer server = UdpServer.Start(Options(design, 1, time), shard => Handler(shard));
        UdpEndPoint[] peers = AdmitPeers(server);
        time.Break();
        using (UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0])) client.Send([0]);

        await Assert.ThrowsAsync<NotSupportedException>(
            () => server.Completion.WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken));

        AssertEnded(peers);
    }

    [Fact]
    public void Stop_CallbackThrows_TheOthersEndAndItIsCounted()
    {
        int ends = 0;
        TestShard test = new(shard =>
        {
            SessionTable<int> first = Table(shard), second = Table(shard);
            SessionPeers.Admit(first, SessionPeers.Of(1), 1);
            SessionPeers.Admit(first, SessionPeers.Of(2), 2);
            SessionPeers.Admit(second, SessionPeers.Of(3), 3);
            return new TestHandler();
        });

        Assert.Throws<FormatException>(test.Stop);

        Assert.Equal(3, ends);
        Assert.Equal(2, test.GetStatistics().HandlerFaults);

        SessionTable<int> Table(UdpShard shard) => shard.CreateSessionTable<int>(ended: (in _, ref _, _) =>
        {
            ends++;
            throw new FormatException("No end.");
        });
    }

    private static UdpServerOptions Options(UdpServerDesign design, int threadCount, TimeProvider? time = null) => new()
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        Design = design,
        ThreadCount = threadCount,
        TickInterval = time is null ? null : TimeSpan.FromHours(1),
        Socket = new UdpSocketOptions { TimeProvider = time ?? TimeProvider.System },
    };

    private TestHandler Handler(UdpShard shard, Action? stop = null, Action? disposed = null)
    {
        var thread = Thread.CurrentThread;
        SessionTable<int> sessions = shard.CreateSessionTable<int>(
            SessionPeers.Options(PeerCount),
            (in UdpEndPoint peer, ref int _, SessionEndReason reason) =>
                _ends.Enqueue((shard.Index, peer, reason, ReferenceEquals(Thread.CurrentThread, thread))));
        return new TestHandler
        {
            Datagrams = (batch, replies) =>
            {
                foreach (Datagram datagram in batch)
                {
                    if (datagram.Payload[0] == 0) continue;
                    sessions.GetOrAdmit(datagram.Peer, out SessionRef<int> _);
                    Assert.True(replies.TryAdd(datagram.Payload, datagram.Peer));
                }
            },
            Stop = _ => stop?.Invoke(),
            Disposed = disposed,
        };
    }

    private static UdpEndPoint[] AdmitPeers(UdpServer server)
    {
        UdpSocket[] clients = [.. Enumerable.Range(0, PeerCount)
            .Select(_ => UdpSocket.Connect(server.LocalEndPoints[0]))];
        foreach (UdpSocket client in clients)
        {
            client.Send([1]);
            Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(new byte[8], ServerCase.Patience, out _));
        }

        UdpEndPoint[] peers = [.. clients.Select(client => client.LocalEndPoint)];
        Array.ForEach(clients, client => client.Dispose());
        return peers;
    }

    private void AssertEnded(UdpEndPoint[] peers)
    {
        Assert.Equal(peers.ToHashSet(), _ends.Select(end => end.Peer).ToHashSet());
        Assert.Equal(PeerCount, _ends.Count);
        Assert.All(_ends, end => Assert.True(end is { Reason: SessionEndReason.Stopped, OnItsThread: true }));
    }
}
