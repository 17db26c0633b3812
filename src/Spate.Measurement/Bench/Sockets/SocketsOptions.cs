namespace Spate.Measurement.Bench.Sockets;

/// <summary>What <see cref="SocketsRun"/> measures and for how long.</summary>
public sealed class SocketsOptions
{
    /// <summary>The most sockets of one row.</summary>
    public const int MaxSocketCount = 1_000_000;

    /// <summary>The most datagrams that are queued in each socket.</summary>
    public const int MaxQueuedCount = 64;

    /// <summary>Numbers of sockets; 1, 100 and 10,000 by default.</summary>
    public IReadOnlyList<int> SocketCounts { get; init; } = [1, 100, 10_000];

    /// <summary>Numbers of datagrams queued in each socket; 1 and 10 by default.</summary>
    public IReadOnlyList<int> QueuedCounts { get; init; } = [1, 10];

    /// <summary>Payload bytes of a datagram, 64 by default.</summary>
    public int SizeBytes { get; init; } = 64;

    /// <summary>The time for everything, 20 s by default; rounds end early when it is used up.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>Interleaved rounds, 15 by default; odd numbers have a middle.</summary>
    public int RoundCount { get; init; } = 15;

    /// <summary>CPU index of the one thread; null (the default) takes the second allowed one.</summary>
    public int? Cpu { get; init; }

    internal void Validate()
    {
        new BenchOptions { SizesBytes = [SizeBytes] }.Validate();
        Require(SocketCounts, MaxSocketCount, "sockets");
        Require(QueuedCounts, MaxQueuedCount, "datagrams queued in each socket");
        if (RoundCount is < 1 or > 1001)
        {
            throw new BenchException($"{RoundCount} rounds cannot be run; name 1 to 1001.");
        }
    }

    private static void Require(IReadOnlyList<int> counts, int most, string what)
    {
        if (counts.Count == 0 || counts.Any(count => count < 1 || count > most))
        {
            throw new BenchException($"Name 1 to {most} {what}.");
        }
    }
}
