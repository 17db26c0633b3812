namespace Spate.Measurement.Bench.Sessions;

/// <summary>What <see cref="SessionsRun"/> measures and for how long.</summary>
public sealed class SessionsOptions
{
    /// <summary>The most sessions in a table: 4,000,000, about 350 MB.</summary>
    public const int MaxPeerCount = 4_000_000;

    /// <summary>The most numbers of peers in one run.</summary>
    public const int MaxPeerCounts = 8;

    /// <summary>
    /// Numbers of sessions, 1,000, 100,000 and 1,000,000 by default. One session is always measured too, since the
    /// others are compared with it.
    /// </summary>
    public IReadOnlyList<int> PeerCounts { get; init; } = [1000, 100_000, 1_000_000];

    /// <summary>Datagram sizes in bytes, 64 and 1380 by default; limits as in <see cref="BenchOptions"/>.</summary>
    public IReadOnlyList<int> SizesBytes { get; init; } = [64, 1380];

    /// <summary>The time for everything, 20 s by default; rounds end early when it is used up.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>Interleaved rounds, 101 by default; odd numbers have a middle.</summary>
    public int RoundCount { get; init; } = 101;

    /// <summary>
    /// Datagrams to fill the socket with, 20,000 by default; fewer where the receive buffer that the system grants does
    /// not hold as many.
    /// </summary>
    public int DatagramCount { get; init; } = 20_000;

    /// <summary>CPU index of the one thread; null (the default) takes the second allowed one.</summary>
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
        if (RoundCount is < 1 or > 1001)
        {
            throw new BenchException($"{RoundCount} rounds cannot be run; name 1 to 1001.");
        }
        if (DatagramCount is < 64 or > 1_000_000)
        {
            throw new BenchException($"A socket cannot be filled with {DatagramCount}; name 64 to 1000000.");
        }
    }
}
