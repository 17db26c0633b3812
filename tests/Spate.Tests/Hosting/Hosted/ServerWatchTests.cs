using Microsoft.Extensions.Logging;
using Spate.Hosting.Hosted;
using Spate.Serving;

namespace Spate.Tests.Hosting.Hosted;

public sealed class ServerWatchTests
{
    [Fact]
    public void Look_CountersGrow_OneLinePerKindWithTheDifference()
    {
        FakeTime time = new();
        using KeptLog log = new();
        UdpServerStatistics now = Statistics(drops: 5, demotions: 1, byPrefix: 2, replies: 0);
        using ServerWatch watch = new("w", () => now, log, time);
        watch.Look();
        Assert.Empty(log.Lines);

        now = Statistics(drops: 12, demotions: 4, byPrefix: 9, replies: 3) with { ChannelDrops = 8 };
        time.Advance(ServerWatch.Interval);
        watch.Look();
        watch.Look();

        Assert.Equal([5, 6, 7], log.Lines.Select(line => line.Id));
        Assert.All(log.Lines, line => Assert.Equal(LogLevel.Warning, line.Level));
        Assert.Contains("in 10 s: 7 dropped", Assert.Single(log.Of(5)), StringComparison.Ordinal);
        Assert.Contains("8 because a channel", Assert.Single(log.Of(5)), StringComparison.Ordinal);
        Assert.Contains("3 replies", Assert.Single(log.Of(5)), StringComparison.Ordinal);
        Assert.Contains("refused 3 trains", Assert.Single(log.Of(6)), StringComparison.Ordinal);
        Assert.Contains("7 by the limit per prefix", Assert.Single(log.Of(7)), StringComparison.Ordinal);
    }

    [Fact]
    public void Look_DropsUnknown_LogsNothing()
    {
        using KeptLog log = new();
        using ServerWatch watch = new("w", () => Statistics(-1, 0, 0, 0), log, new FakeTime());
        watch.Look();
        Assert.Empty(log.Lines);
    }

    private static UdpServerStatistics Statistics(long drops, long demotions, long byPrefix, long replies) => new()
    {
        Sockets = new UdpCounters { KernelDrops = drops, Demotions = demotions },
        Threads = [new UdpThreadStatistics { RepliesDropped = replies }],
        SessionsRefused = new SessionRefusals { ByPrefix = byPrefix },
    };
}
