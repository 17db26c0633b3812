using Microsoft.Extensions.Logging;
using Spate.Hosting.Hosted;
using Spate.Serving;

namespace Spate.Tests.Hosting.Hosted;

public sealed class ServerWatchTests
{
    [Fact]
    public void Timer_CountersGrow_OneLinePerKindWithTheDifference()
    {
        FakeTime time = new();
        using KeptLog log = new();
        UdpServerStatistics now = Statistics(drops: 5, fallbacks: 1, byPrefix: 2, replies: 0);
        using ServerWatch watch = new("w", () => now, log, time);
        Assert.Equal(1, time.Advance(ServerWatch.Interval));
        Assert.Empty(log.Lines);

        now = Statistics(drops: 12, fallbacks: 4, byPrefix: 9, replies: 3, faulted: 6) with { ChannelDrops = 8 };
        time.Advance(ServerWatch.Interval);
        time.Advance(ServerWatch.Interval);

        Assert.Equal([5, 6, 7], log.Lines.Select(line => line.Id));
        Assert.All(log.Lines, line => Assert.Equal(LogLevel.Warning, line.Level));
        Assert.Contains("in 10 s: 7 dropped", Assert.Single(log.Of(5)), StringComparison.Ordinal);
        Assert.Contains("8 because a channel", Assert.Single(log.Of(5)), StringComparison.Ordinal);
        Assert.Contains("6 in handlers that threw", Assert.Single(log.Of(5)), StringComparison.Ordinal);
        Assert.Contains("3 replies", Assert.Single(log.Of(5)), StringComparison.Ordinal);
        Assert.Contains("3 GSO fallbacks", Assert.Single(log.Of(6)), StringComparison.Ordinal);
        Assert.Contains("7 by the limit per prefix", Assert.Single(log.Of(7)), StringComparison.Ordinal);
    }

    [Fact]
    public void Timer_DropsUnknown_LogsNothing()
    {
        FakeTime time = new();
        using KeptLog log = new();
        using ServerWatch watch = new("w", () => Statistics(-1, 0, 0, 0), log, time);
        Assert.Equal(1, time.Advance(ServerWatch.Interval));
        Assert.Empty(log.Lines);
    }

    [Fact]
    public void Timer_LoggerThrows_IsSurvivedAndTheNextLookLogs()
    {
        FakeTime time = new();
        using KeptLog log = new() { BrokenId = 5 };
        long drops = 0;
        using ServerWatch watch = new("w", () => Statistics(drops, 0, 0, 0), log, time);

        for (int i = 0; i < 2; i++)
        {
            drops++;
            time.Advance(ServerWatch.Interval);
        }

        Assert.Equal([5, 5], log.Lines.Select(line => line.Id));
    }

    [Fact]
    public void Dispose_OfTheWatch_EndsItsTimer()
    {
        FakeTime time = new();
        using KeptLog log = new();
        new ServerWatch("w", () => Statistics(0, 0, 0, 0), log, time).Dispose();
        Assert.Equal(0, time.Advance(ServerWatch.Interval));
    }

    private static UdpServerStatistics Statistics(
        long drops, long fallbacks, long byPrefix, long replies, long faulted = 0) =>
        new()
        {
            Sockets = new UdpCounters { KernelDrops = drops, GsoFallbacks = fallbacks },
            Threads = [new UdpThreadStatistics { RepliesDropped = replies, DatagramsFaulted = faulted }],
            SessionsRefused = new SessionRefusals { ByPrefix = byPrefix },
        };
}
