namespace Spate.Measurement.Bench.PingPong;

/// <summary>What a server uses while nobody sends.</summary>
public sealed record IdleRow
{
    /// <summary>How it divides work, as <c>reader-workers</c>.</summary>
    public required string Design { get; set; }

    /// <summary>Threads that run handlers.</summary>
    public int ThreadCount { get; set; }

    /// <summary>CPU time, in percent of one CPU.</summary>
    public required double CpuPercent { get; set; }
}
