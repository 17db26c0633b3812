using Spate.Cli.Shell;
using Spate.HostTuning.Placement;

namespace Spate.Cli.Bench.Sockets;

/// <summary>What <see cref="SocketsRun"/> measures and for how long.</summary>
internal sealed class SocketsOptions
{
    /// <summary>The largest number of sockets of one row.</summary>
    public const int MaxSocketCount = 1_000_000;

    /// <summary>The largest number of datagrams that are queued in each socket.</summary>
    public const int MaxQueuedCount = 64;

    /// <summary>Numbers of sockets; 1, 100 and 10,000 by default.</summary>
    public IReadOnlyList<int> SocketCounts { get; init => field = RecordList.Copy(value); } =
        RecordList.Copy([1, 100, 10_000]);

    /// <summary>Numbers of datagrams queued in each socket; 1 and 10 by default.</summary>
    public IReadOnlyList<int> QueuedCounts { get; init => field = RecordList.Copy(value); } = RecordList.Copy([1, 10]);

    /// <summary>Payload bytes of a datagram, 64 by default.</summary>
    public int SizeBytes { get; init; } = 64;

    /// <summary>The time for the whole bench, 20 s by default. No further round begins when it is used up.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>The number of interleaved rounds, 15 by default. An odd number has a middle round.</summary>
    public int RoundCount { get; init; } = 15;

    /// <summary>CPU index of the measuring thread; null takes that of a <see cref="LoopbackPlan"/>.</summary>
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
