namespace Spate.Measurement;

/// <summary>One relay with one kind of generator: medians over the rounds.</summary>
public sealed class RelayRow
{
    /// <summary>The relay, as <c>spate-mmsg</c>.</summary>
    public required string Name { get; set; }

    /// <summary>Whether the generator sent trains.</summary>
    public required bool Trains { get; set; }

    /// <summary>Datagrams that came out, per second.</summary>
    public required double DatagramsPerSecond { get; set; }

    /// <summary>Datagrams that went in, per second.</summary>
    public double SentPerSecond { get; set; }

    /// <summary>Datagrams that never came out, in per cent.</summary>
    public required double LostPercent { get; set; }

    /// <summary>Datagrams that came out behind a later one.</summary>
    public long Reordered { get; set; }

    /// <summary>CPU time of the relay's threads, in per cent of one CPU; null where the system does not tell.</summary>
    public required double? CpuPercentOfOneCore { get; set; }

    /// <summary>Most CPU time of a round less the least, in per cent of the median.</summary>
    public double? SpreadPercent { get; set; }

    /// <summary>How many times as much CPU time <c>socket-async</c> needs; null where it did not run.</summary>
    public double? TimesLessThanSocketAsync { get; set; }
}
