using Spate.Cli.Shell;
using Spate.HostTuning.Placement;

namespace Spate.Cli.Bench.Sockets;

/// <summary>What <see cref="SocketsRun"/> measures and for how long.</summary>
internal sealed class SocketsOptions
{
    public const int MaxSocketCount = 1_000_000;

    public const int MaxQueuedCount = 64;

    public IReadOnlyList<int> SocketCounts { get; init => field = RecordList.Copy(value); } =
        RecordList.Copy([1, 100, 10_000]);

    public IReadOnlyList<int> QueuedCounts { get; init => field = RecordList.Copy(value); } = RecordList.Copy([1, 10]);

    public int SizeBytes { get; init; } = 64;

    /// <summary>No further round begins when it is used up.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>An odd number has a middle round.</summary>
    public int RoundCount { get; init; } = 15;

    /// <summary>Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? Cpu { get; init; }

    internal void Validate()
    {
        new BenchOptions { SizesBytes = [SizeBytes] }.Validate();
        Require(SocketCounts, MaxSocketCount, "sockets");
        Require(QueuedCounts, MaxQueuedCount, "datagrams queued in each socket");
        BenchOptions.RequireRounds(RoundCount);
    }

    private static void Require(IReadOnlyList<int> counts, int max, string what)
    {
        if (counts.Count == 0 || counts.Any(count => count < 1 || count > max))
        {
            throw new BenchException($"Name 1 to {max} {what}.");
        }
    }
}
