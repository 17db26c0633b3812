namespace Spate.Cli.Bench.PingPong;

/// <summary>What a server uses while nothing is sent to it.</summary>
internal sealed record IdleRow
{
    /// <summary>For instance <c>reader-workers</c>.</summary>
    public required string Design { get; set; }

    public int ThreadCount { get; set; }

    /// <summary>The server's, in percent of one CPU.</summary>
    public required double CpuPercent { get; set; }
}
