using Spate.Cli.Shell;
using Spate.HostTuning.Placement;

namespace Spate.Cli.Bench.Sessions;

/// <summary>What <see cref="SessionsRun"/> measures and for how long.</summary>
internal sealed class SessionsOptions
{
    /// <summary>The largest number of sessions in a table: 4,000,000, which take about 350 MB.</summary>
    public const int MaxPeerCount = 4_000_000;

    public const int MaxPeerCounts = 8;

    /// <summary>A table with one session is always measured too, since the others are compared with it.</summary>
    public IReadOnlyList<int> PeerCounts { get; init => field = RecordList.Copy(value); } =
        RecordList.Copy([1000, 100_000, 1_000_000]);

    /// <summary>The limits are those of <see cref="BenchOptions"/>.</summary>
    public IReadOnlyList<int> SizesBytes { get; init => field = RecordList.Copy(value); } = RecordList.Copy([64, 1380]);

    /// <summary>No further round begins when it is used up.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>An odd number has a middle round.</summary>
    public int RoundCount { get; init; } = 101;

    /// <summary>Fewer are sent where the receive buffer that the system grants does not hold as many.</summary>
    public int DatagramCount { get; init; } = 20_000;

    /// <summary>Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? Cpu { get; init; }

    internal void Validate()
    {
        new BenchOptions { SizesBytes = SizesBytes }.Validate();
        if (PeerCounts.Count is 0 or > MaxPeerCounts)
        {
            throw new BenchException($"A run takes 1 to {MaxPeerCounts} numbers of peers, not {PeerCounts.Count}.");
        }
        foreach (int peerCount in PeerCounts)
        {
            if (peerCount is < 1 or > MaxPeerCount)
            {
                throw new BenchException($"{peerCount} peers cannot be measured; name 1 to {MaxPeerCount}.");
            }
        }
        BenchOptions.RequireRounds(RoundCount);
        BenchOptions.RequireFilling(DatagramCount);
    }
}
