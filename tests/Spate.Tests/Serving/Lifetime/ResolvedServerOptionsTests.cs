using Spate.Serving;
using Spate.Serving.Lifetime;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>Options that cannot be meant are refused with what is wrong and what to do.</summary>
public sealed class ResolvedServerOptionsTests
{
    private static readonly UdpServerOptions Fine = new() { LocalEndPoints = [UdpEndPoint.Loopback(0)] };

    public static TheoryData<UdpServerOptions, string> Wrong => new()
    {
        { new() { LocalEndPoints = [] }, "1 to 64 local end points" },
        { new() { LocalEndPoints = [.. Enumerable.Range(1, 65).Select(UdpEndPoint.Any)] }, "1 to 64 local end points" },
        { new() { LocalEndPoints = [default] }, "like UdpEndPoint.Any(9999)" },
        { new() { LocalEndPoints = [UdpEndPoint.Any(9), UdpEndPoint.Any(9)] }, "0.0.0.0:9 is given twice" },
        { new() { LocalEndPoints = null! }, "LocalEndPoints" },
        { Fine with { Cpus = null! }, "Cpus" },
        { Fine with { Socket = null! }, "Socket" },
        { Fine with { ReceiveBatch = null! }, "ReceiveBatch" },
        { Fine with { ReplyBatch = null! }, "ReplyBatch" },
        { Fine with { ThreadCount = 0 }, "ThreadCount must be from 1 to 256" },
        { Fine with { ThreadCount = 257 }, "ThreadCount must be from 1 to 256" },
        { Fine with { Cpus = [0, -1] }, "Cpus must be from 0 to" },
        { Fine with { WakeThreshold = 0 }, "WakeThreshold must be from 1 to 1048576" },
        { Fine with { BatchCount = 1 }, "BatchCount must be from 2 to 1024" },
        { Fine with { BatchCount = 1025 }, "BatchCount must be from 2 to 1024" },
        { Fine with { TickInterval = TimeSpan.FromTicks(1) }, "TickInterval must be from 1 to 2147483647 ms" },
        { Fine with { TickInterval = TimeSpan.MaxValue }, "TickInterval must be from 1 to 2147483647 ms" },
        { Fine with { TickInterval = TimeSpan.FromSeconds(-1) }, "TickInterval must be from 1 to 2147483647 ms" },
        { Fine with { ReplyTimeout = TimeSpan.FromTicks(-1) }, "ReplyTimeout must be from 0 to 2147483647 ms" },
        { Fine with { ReplyTimeout = TimeSpan.MaxValue }, "ReplyTimeout must be from 0 to 2147483647 ms" },
        { Fine with { Design = null! }, "Design" },
        { Fine with { Wait = (UdpServerWait)99 }, "use one of Automatic, Blocking" },
        { Fine with { Steering = (UdpSteering)99 }, "use one of Automatic, Kernel" },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Start_OptionThatCannotBeMeant_RefusedWithWhatToDo(UdpServerOptions options, string expected)
    {
        var thrown = Assert.ThrowsAny<ArgumentException>(() => UdpServer.Start(options, _ => new TestHandler()));
        Assert.Contains(expected, thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Options_Default_AndTwoOfPortZero_Accepted()
    {
        _ = new ResolvedServerOptions(Fine, TestHandler.Echo);
        UdpServerOptions two = new() { LocalEndPoints = [UdpEndPoint.Loopback(0), UdpEndPoint.Loopback(0)] };
        Assert.Equal(two, new ResolvedServerOptions(two, TestHandler.Echo).Options);
    }

    [Fact]
    public void Options_ShardsByProcessor_HaveOneForEachAndDoNotKeepPeers()
    {
        ResolvedServerOptions plan = new(Sharded(null), TestHandler.Echo, ShardSockets.Processors);

        Assert.Equal(Environment.ProcessorCount, plan.ThreadCount);
        Assert.Equal(Environment.ProcessorCount == 1, plan.KeepsPeers);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    public void Options_OtherShardsThanProcessors_AreRefused(int difference)
    {
        int threadCount = Environment.ProcessorCount + difference;
        Assert.SkipWhen(threadCount < 2 && difference < 0, "three processors are needed, since one thread is accepted");
        var thrown = Assert.Throws<NotSupportedException>(() => new ResolvedServerOptions(
            Sharded(threadCount), TestHandler.Echo, ShardSockets.Processors));

        Assert.Contains($"1 or {Environment.ProcessorCount} threads", thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void BeginChange_SingleShardByProcessor_CannotBecomeOneForEach()
    {
        Assert.SkipWhen(Environment.ProcessorCount == 1, "two processors are needed");
        ResolvedServerOptions plan = new(Sharded(1), TestHandler.Echo, ShardSockets.Processors);

        Assert.Throws<NotSupportedException>(() => plan.BeginChange(Environment.ProcessorCount));

        Assert.True(plan.KeepsPeers);
    }

    [Fact]
    public void Options_SystemThatCannotShare_HaveOneShard()
    {
        Assert.Equal(1, new ResolvedServerOptions(Sharded(null), TestHandler.Echo, ShardSockets.None).ThreadCount);
        Assert.Throws<NotSupportedException>(
            () => new ResolvedServerOptions(Sharded(2), TestHandler.Echo, ShardSockets.None));
    }

    [Fact]
    public void Options_DesignThatSharesASocket_NeedsNoShards()
    {
        UdpServerOptions drain = Sharded(3) with { Design = UdpComparisonDesigns.Drain };

        Assert.Equal(3, new ResolvedServerOptions(drain, TestHandler.Echo, ShardSockets.Processors).ThreadCount);
    }

    private static UdpServerOptions Sharded(int? threads) => new()
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        Design = UdpServerDesign.Sharded,
        ThreadCount = threads,
    };
}
