using Spate.HostTuning.Usage;
using Spate.Serving;

namespace Spate.Measurement.Bench.Designs;

/// <summary>Meters of all threads of a server, in the order of the server's statistics.</summary>
internal sealed class ServerThreadMeters(UdpServer server) : IDisposable
{
    private readonly ThreadMeter[] _meters =
        [.. server.GetStatistics().Threads.Select(static thread => new ThreadMeter(thread.SystemThreadId))];

    public ThreadUsage[] Read() => [.. _meters.Select(static meter => meter.Usage)];

    public void Dispose()
    {
        foreach (ThreadMeter meter in _meters)
        {
            meter.Dispose();
        }
    }
}
