using Spate.Cli.Shell;
using Spate.HostTuning.Placement;

namespace Spate.Cli.Bench.Sessions;

/// <summary>What <see cref="SessionsRun"/> measures and for how long.</summary>
internal sealed class SessionsOptions
{
    /// <summary>The largest number of sessions in a table: 4,000,000, which take about 350 MB.</summary>
    public const int MaxPeerCount = 4_000_000;

    /// <summary>The largest number of <see cref="PeerCounts"/> in one run.</summary>
    public const int MaxPeerCounts = 8;

    /// <summary>
    /// Numbers of sessions, 1,000, 100,000 and 1,000,000 by default. A table with one session is always measured too,
    /// since the others are compared with it.
    /// </summary>
    public IReadOnlyList<int> PeerCounts { get; init => field = RecordList.Copy(value); } =
        RecordList.Copy([1000, 100_000, 1_000_000]);

    /// <summary>
    /// Datagram sizes in bytes, 64 and 1380 by default; the limits are those of <see cref="BenchOptions"/>.
    /// </summary>
    public IReadOnlyList<int> SizesBytes { get; init => field = RecordList.Copy(value); } = RecordList.Copy([64, 1380]);

    /// <summary>The time for the whole bench, 20 s by default. No further round begins when it is used up.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>The number of interleaved rounds, 101 by default. An odd number has a middle round.</summary>
    public int RoundCount { get; init; } = 101;

    /// <summary>
    /// The number of datagrams that fill the socket, 20,000 by default. Fewer are sent where the receive buffer that
    /// the system grants does not hold as many.
    /// </summary>
    public int DatagramCount { get; init; } = 20_000;

    /// <summary>CPU index of the measuring thread; null takes that of a <see cref="LoopbackPlan"/>.</summary>
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
