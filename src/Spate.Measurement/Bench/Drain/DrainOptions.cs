namespace Spate.Measurement.Bench.Drain;

/// <summary>What <see cref="DrainRun"/> measures and for how long.</summary>
public sealed class DrainOptions
{
    /// <summary>Datagram sizes in bytes, 64 and 1380 by default; limits as in <see cref="BenchOptions"/>.</summary>
    public IReadOnlyList<int> SizesBytes { get; init; } = [64, 1380];

    /// <summary>The time for everything, 20 s by default; rounds end early when it is used up.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>Interleaved rounds, 21 by default; odd numbers have a middle.</summary>
    public int RoundCount { get; init; } = 21;

    /// <summary>
    /// Datagrams to fill a socket with, 20,000 by default; fewer where the receive buffer that the system grants does
    /// not hold as many.
    /// </summary>
    public int DatagramCount { get; init; } = 20_000;

    /// <summary>CPU index of the one thread; null (the default) takes the second allowed one.</summary>
    public int? Cpu { get; init; }

    internal void Validate()
    {
        new BenchOptions { SizesBytes = SizesBytes }.Validate();
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
