using Spate.Measurement.Traffic;
using Spate.Serving;
using Spate.Serving.Lifetime;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>
/// Where one thread keeps peers and several would not: sessions or more threads, whichever comes first, also where the
/// other comes in the middle of it.
/// </summary>
public sealed class ServerPromiseTests
{
    /// <summary>Ways that keep peers with one thread only.</summary>
    public static TheoryData<UdpServerDesign, UdpSteering> Ways
    {
        get
        {
            TheoryData<UdpServerDesign, UdpSteering> ways = [];
            foreach (UdpServerDesign design in ServerDesigns.All)
            {
                if (design != UdpServerDesign.Sharded) ways.Add(design, UdpSteering.Automatic);
                else if (OperatingSystem.IsLinux())
                {
                    ways.Add(design, UdpSteering.Cpu);
                    ways.Add(design, UdpSteering.Spread);
                }
            }

            return ways;
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task SetThreadCount_SessionsAreKept_Refused(UdpServerDesign design, UdpSteering steering)
    {
        await using UdpServer server = UdpServer.Start(
            Options(design, steering),
            shard =>
            {
                Assert.True(shard.KeepsPeers);
                shard.CreateSessionTable<long>();
                return new TestHandler();
            });

        var refused = await Assert.ThrowsAsync<NotSupportedException>(
            () => server.SetThreadCountAsync(2, ServerCase.Cancellation));

        Assert.Contains(ResolvedServerOptions.HowToKeepPeers, refused.Message, StringComparison.Ordinal);
        Assert.Equal(1, server.ThreadCount);
        await server.SetThreadCountAsync(1, ServerCase.Cancellation);
        server.Shards[0].CreateSessionTable<long>();
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task CreateSessionTable_ThreadsAreBeingAdded_RefusedToAll(UdpServerDesign design, UdpSteering steering)
    {
        using var making = new Signal();
        using var made = new Signal();
        await using UdpServer server = UdpServer.Start(
            Options(design, steering),
            shard =>
            {
                // The one before it runs by now.
                if (shard.Index != 2) return new TestHandler();
                making.Set();
                Assert.True(made.Wait());
                Assert.False(shard.KeepsPeers);
                Assert.Throws<NotSupportedException>(() => shard.CreateSessionTable<long>());
                return new TestHandler();
            });
        UdpShard first = server.Shards[0];
        Assert.True(first.KeepsPeers);

        Task change = server.SetThreadCountAsync(3, ServerCase.Cancellation);
        Assert.True(making.Wait());
        bool keepsPeers = first.KeepsPeers;
        Exception? refused = Record.Exception(() => first.CreateSessionTable<long>());
        made.Set();
        await change;

        Assert.False(keepsPeers);
        Assert.IsType<NotSupportedException>(refused);
        await server.SetThreadCountAsync(1, ServerCase.Cancellation);
        Assert.True(first.KeepsPeers);
        first.CreateSessionTable<long>();
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task CreateSessionTable_AddingThreadsHasFailed_Granted(UdpServerDesign design, UdpSteering steering)
    {
        await using UdpServer server = UdpServer.Start(
            Options(design, steering),
            shard => shard.Index == 0 ? new TestHandler() : throw new FormatException("No more."));
        await Assert.ThrowsAsync<FormatException>(() => server.SetThreadCountAsync(2, ServerCase.Cancellation));

        Assert.True(server.Shards[0].KeepsPeers);
        server.Shards[0].CreateSessionTable<long>();
        await Assert.ThrowsAsync<NotSupportedException>(() => server.SetThreadCountAsync(2, ServerCase.Cancellation));
    }

    [Fact]
    public void TryPromiseSessions_AgainstBeginChange_OneOfTheTwoIsRefused()
    {
        const int Rounds = 2000;
        for (int round = 0; round < Rounds; round++)
        {
            ResolvedServerOptions plan = new(
                Options(UdpComparisonDesigns.Drain, UdpSteering.Automatic), _ => new TestHandler());
            bool promised = false, grows = false;
            Parallel.Invoke(
                () => promised = plan.TryPromiseSessions(),
                () => grows = Record.Exception(() => plan.BeginChange(2)) is null);
            Assert.NotEqual(promised, grows);
        }
    }

    [Fact]
    public async Task SetThreadCount_PeersStayWithOneThreadAnyway_SessionsDoNotHinder()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Shards are steered by Linux.");
        await using UdpServer server = UdpServer.Start(
            Options(UdpServerDesign.Sharded, UdpSteering.FlowHash),
            shard =>
            {
                shard.CreateSessionTable<long>();
                return new TestHandler();
            });
        await server.SetThreadCountAsync(3, ServerCase.Cancellation);
        await server.SetThreadCountAsync(2, ServerCase.Cancellation);
        Assert.All(server.Shards, shard => Assert.True(shard.KeepsPeers));
    }

    private static UdpServerOptions Options(UdpServerDesign design, UdpSteering steering) => new()
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        Design = design,
        Steering = steering,
        ThreadCount = 1,
        Cpus = steering == UdpSteering.Cpu ? [0] : [],
    };
}
