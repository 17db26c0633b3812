using System.Collections.Concurrent;
using System.Net.Sockets;
using Spate.Serving;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>Starting, and what becomes of a start that fails.</summary>
[ProcessWide("descriptors of the process are counted")]
public sealed class ServerStartTests
{
    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public void Factory_AndHandler_LiveOnTheirThread(UdpServerDesign design)
    {
        ServerCase.RequireSharedPort(design);
        ConcurrentDictionary<int, ConcurrentBag<int>> threads = new();
        using (UdpServer server = UdpServer.Start(Options(design, 3), shard =>
        {
            ConcurrentBag<int> own = threads[shard.Index] = [Environment.CurrentManagedThreadId];
            return new TestHandler
            {
                Stop = _ => own.Add(Environment.CurrentManagedThreadId),
                Disposed = () => own.Add(Environment.CurrentManagedThreadId),
            };
        }))
        {
            Assert.Equal(3, threads.Count);
            Assert.Equal(3, threads.Values.Select(own => own.First()).Distinct().Count());
            Assert.DoesNotContain(Environment.CurrentManagedThreadId, threads.Values.Select(own => own.First()));
        }

        Assert.All(threads.Values, own => Assert.Equal(3, own.Count));
        Assert.All(threads.Values, own => Assert.Single(own.Distinct()));
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public void Start_FactoryThrowsOrAnythingIsWrong_ThrowsAndNothingLeaks(UdpServerDesign design)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Descriptors are counted in /proc.");
        UdpServerOptions options = Options(design, 3);
        UdpServer.Start(options, _ => new TestHandler()).Dispose();
        int disposed = 0;
        HashSet<string> before = ProcessUse.Descriptors();
        for (int failing = 0; failing < 3; failing++)
        {
            var thrown = Assert.Throws<FormatException>(() => UdpServer.Start(options, shard => shard.Index == failing
                ? throw new FormatException("No handler.")
                : new TestHandler { Disposed = () => Interlocked.Increment(ref disposed) }));
            Assert.Equal("No handler.", thrown.Message);
        }

        Assert.Equal(0 + 1 + 2, disposed);
        var refused = Assert.Throws<InvalidOperationException>(() => UdpServer.Start(options, _ => null!));
        Assert.Equal("handlerFactory returned null: return a handler for every shard.", refused.Message);
        Assert.ThrowsAny<ArgumentException>(() => UdpServer.Start(
            Options(design, 2, receive: new ReceiveBatchOptions { SlotBytes = 1 << 20 }), _ => new TestHandler()));
        Assert.ThrowsAny<ArgumentException>(() => UdpServer.Start(
            Options(design, 2, replies: new SendBatchOptions { BufferBytes = 1 }), _ => new TestHandler()));
        Assert.Throws<InvalidOperationException>(() => UdpServer.Start(
            Options(design, 2, cpus: [1023]), _ => new TestHandler()));
        Assert.Throws<SocketException>(() => UdpServer.Start(
            Options(design, 2, endPoints: [UdpEndPoint.Loopback(0), UdpEndPoint.Parse("192.0.2.1:0")]),
            _ => new TestHandler()));
        Assert.Empty(ProcessUse.Descriptors().Except(before, StringComparer.Ordinal));
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public void Start_PortTaken_RefusedThoughShardsShare(UdpServerDesign design)
    {
        ServerCase.RequireSharedPort(design);
        using UdpServer first = UdpServer.Start(Options(design, 2), _ => new TestHandler());
        UdpServerOptions same = Options(design, 2, endPoints: [.. first.LocalEndPoints]);
        var byServer = Assert.Throws<SocketException>(() => UdpServer.Start(same, _ => new TestHandler()));
        Assert.Equal(SocketError.AddressAlreadyInUse, byServer.SocketErrorCode);
        first.Dispose();
        using (UdpSocket other = UdpSocket.Bind(first.LocalEndPoints[0]))
        {
            var bySocket = Assert.Throws<SocketException>(() => UdpServer.Start(same, _ => new TestHandler()));
            Assert.Equal(SocketError.AddressAlreadyInUse, bySocket.SocketErrorCode);
        }

        using UdpServer second = UdpServer.Start(same, _ => new TestHandler());
        Assert.Equal(first.LocalEndPoints, second.LocalEndPoints);
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public void Start_PortZero_ShardsShareThePortChosen(UdpServerDesign design)
    {
        ServerCase.RequireSharedPort(design);
        using UdpServer server = UdpServer.Start(Options(design, 4), _ => new TestHandler());
        UdpEndPoint endPoint = Assert.Single(server.LocalEndPoints);
        Assert.NotEqual(0, endPoint.Port);
        Assert.All(server.Shards, shard => Assert.Equal([endPoint], shard.LocalEndPoints));
    }

    [Theory]
    [InlineData(UdpSteering.FlowHash)]
    [InlineData(UdpSteering.Kernel)]
    public void Start_DatagramsArriveWhileHandlersAreMade_PeersMeetTheShardThatTheyStayWith(UdpSteering steering)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Elsewhere what arrives during the start cannot be held back.");
        const int peerCount = 64;
        UdpEndPoint local = OwnAddress.New();
        UdpSocket[] clients = [.. Enumerable.Range(0, peerCount).Select(_ => UdpSocket.Connect(local))];
        ConcurrentDictionary<UdpEndPoint, ConcurrentBag<int>> met = new();
        using var handled = new Signal(2 * peerCount);
        using (UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [local],
                ThreadCount = 3,
                Steering = steering,
                Socket = new UdpSocketOptions { CoalescedReceive = false },
            },
            shard =>
            {
                if (shard.Index == 1) SendAll();
                return new TestHandler
                {
                    Datagrams = (batch, _) =>
                    {
                        foreach (Datagram datagram in batch)
                        {
                            met.GetOrAdd(datagram.Peer, _ => []).Add(shard.Index);
                            handled.Set();
                        }
                    },
                };
            }))
        {
            SendAll();
            Assert.True(handled.Wait());
            Assert.Equal(0, server.GetStatistics().Sockets.KernelDrops);
        }

        Array.ForEach(clients, client => client.Dispose());
        Assert.All(met.Values, shards => Assert.Single(shards.Distinct()));
        Assert.Equal(3, met.Values.SelectMany(shards => shards).Distinct().Count());

        void SendAll() => Array.ForEach(clients, client => Assert.Equal(1, client.Send([1]).Sent));
    }

    [Theory, InlineData(1), InlineData(3)]
    public void Start_DatagramsArriveBeforeItIsOpen_AreNotCountedAsDrops(int threadCount)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux counts the drops of a socket");
        // Few enough for the socket's buffer, should nobody handle them for a while.
        const int maxSent = 200;
        UdpEndPoint local = OwnAddress.New();
        using var open = new Signal();
        using UdpSocket client = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        var sending = new Thread(() =>
        {
            for (int i = 0; i < maxSent && !open.IsSet; i++)
            {
                client.SendTo([1], local);
                Thread.SpinWait(10_000);
            }
        });
        sending.Start();
        using UdpServer server = UdpServer.Start(
            Options(UdpServerDesign.Sharded, threadCount, endPoints: [local]), _ => new TestHandler());
        open.Set();
        sending.Join();

        Assert.Equal(0, server.GetStatistics().Sockets.KernelDrops);
    }

    private static UdpServerOptions Options(
        UdpServerDesign design,
        int threadCount,
        ReceiveBatchOptions? receive = null,
        SendBatchOptions? replies = null,
        int[]? cpus = null,
        UdpEndPoint[]? endPoints = null) => new()
        {
            LocalEndPoints = endPoints ?? [UdpEndPoint.Loopback(0)],
            Design = design,
            ThreadCount = threadCount,
            ReceiveBatch = receive ?? new ReceiveBatchOptions(),
            ReplyBatch = replies ?? new SendBatchOptions(),
            Cpus = cpus ?? [],
            Socket = new UdpSocketOptions { CoalescedReceive = false },
        };

    [Fact]
    public void Require_MoreThanTheLimitLeaves_NamesTheLimitAndWhatToDo()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The limit is read on Linux.");
        var refused = Assert.Throws<System.Net.Sockets.SocketException>(
            () => Spate.Sockets.DescriptorLimit.Require(int.MaxValue));
        Assert.Equal(System.Net.Sockets.SocketError.TooManyOpenSockets, refused.SocketErrorCode);
        Assert.Contains("ulimit -n ", refused.Message, StringComparison.Ordinal);
        Spate.Sockets.DescriptorLimit.Require(1);
    }
}
