using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Spate;
using Spate.Hosting;
using Spate.Serving;

namespace Snippets;

/// <summary>The code of docs/build/hosting.md that is not a program.</summary>
internal static class Hosting
{
    public static void AddHealth(HostApplicationBuilder builder)
    {
        // docs: health
        builder.Services.AddHealthChecks().AddUdpServerCheck(
            "dns", configure: thresholds => thresholds.MaxDropShare = 0.001);
        // end
    }
}

// docs: handler
internal sealed class GameHandler(UdpShard shard, World world, ILogger<GameHandler> log) : UdpHandler
// end
{
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        if (world.IsFull && log.IsEnabled(LogLevel.Information)) log.LogInformation("shard {Index}: full", shard.Index);
    }
}

// docs: announcer
internal sealed class Announcer(UdpServers servers)
{
    public bool Tell(UdpEndPoint peer, ReadOnlySpan<byte> text) => servers["game"].Shards[0].TryEnqueue(text, peer);
}
// end

/// <summary>Stands for a service of the reader's.</summary>
internal sealed class World
{
    public bool IsFull { get; init; }
}
