namespace Spate.Measurement;

/// <summary>Round trips of one way of waiting: medians over the rounds.</summary>
public sealed class PingPongRow
{
    /// <summary>How both ends wait, as <c>spinning</c>.</summary>
    public required string Mode { get; set; }

    /// <summary>Half of the round trips took at most this long, in microseconds.</summary>
    public required double P50Microseconds { get; set; }

    /// <summary>99 of 100 took at most this long.</summary>
    public required double P99Microseconds { get; set; }

    /// <summary>999 of 1000 took at most this long.</summary>
    public required double P999Microseconds { get; set; }

    /// <summary>Slowest round's median less the fastest's, in per cent of the median.</summary>
    public double SpreadPercent { get; set; }

    /// <summary>CPU time of both ends together, in per cent of one CPU.</summary>
    public double CpuPercent { get; set; }

    /// <summary>The server's part of it; null where both ends share pool threads.</summary>
    public double? ServerCpuPercent { get; set; }

    /// <summary>Round trips counted in all rounds.</summary>
    public long Pings { get; set; }

    /// <summary>Pings without an answer in all rounds.</summary>
    public long Lost { get; set; }
}
