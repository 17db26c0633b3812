using Spate.Cli.Options;
using Spate.Measurement;
using Spate.Measurement.Bench.Sessions;

namespace Spate.Cli.Output;

internal static partial class BenchReports
{
    public static SessionsReport Of(SessionsResult result)
    {
        var report = new SessionsReport
        {
            Rounds = result.RoundCount,
            Rows = [.. result.Rows],
            AgingPeers = result.Aging?.PeerCount ?? 0,
            AgingPassMicroseconds = result.Aging?.LongestMicroseconds ?? 0,
            AgingPassSeenMicroseconds = result.Aging?.SeenMicroseconds ?? 0,
            AgingPasses = result.Aging?.PassCount ?? 0,
            TableBytes = result.Aging?.TableBytes ?? 0,
            Threads = [ThreadOf("drain", result.Cpu)],
            Backend = BackendText.NameOf(result.Backend),
            Offloads = result.UsesTrains ? ["gso", "gro"] : [],
            Flows = 1,
            Demotions = result.Demotions,
            BufferGrantedBytes = result.BufferGrantedBytes,
        };
        AddMemory(report);
        return report;
    }
}
