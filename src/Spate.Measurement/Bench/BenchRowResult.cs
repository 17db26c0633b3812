namespace Spate.Measurement.Bench;

/// <summary>
/// One row of the bench at one size: medians over the measured rounds. Null is what the row cannot tell.
/// </summary>
public sealed record BenchRowResult
{
    /// <summary>The row's name, see <see cref="BenchRun"/>.</summary>
    public required string Name { get; init; }

    /// <summary>Payload bytes of every datagram.</summary>
    public required int SizeBytes { get; init; }

    /// <summary>Datagrams that the receiver visited per second while the sender was sending.</summary>
    public double DatagramsPerSecond { get; init; }

    /// <summary>The same as payload bits per second.</summary>
    public double BitsPerSecond { get; init; }

    /// <summary>
    /// Datagrams sent and never received, in per cent of those sent; what was in flight when the sender stopped is
    /// waited for.
    /// </summary>
    public double LostPercent { get; init; }

    /// <summary>CPU time of the sender's thread, user and system, in nanoseconds per datagram sent.</summary>
    public double? SendNanosecondsPerDatagram { get; init; }

    /// <summary>
    /// CPU time of the receiving side in nanoseconds per datagram received: of the receiver's thread where a thread of
    /// its own receives (<c>socket-blocking</c> and the batched rows), else, where pool or library threads take part,
    /// of the whole process less the sender's thread.
    /// </summary>
    public double? ReceiveNanosecondsPerDatagram { get; init; }

    /// <summary>Bytes that the whole process allocated per datagram received.</summary>
    public double? AllocatedBytesPerDatagram { get; init; }

    /// <summary>Gen-0 collections, summed over the measured rounds: 0 says that there was none at all.</summary>
    public int? Gen0Collections { get; init; }

    /// <summary>Datagrams per receive call that brought something.</summary>
    public double? DatagramsPerCall { get; init; }

    /// <summary>Fastest round less slowest round, in per cent of the median rate; null with one round.</summary>
    public double? SpreadPercent { get; init; }

    /// <summary>This rate over that of <c>socket-async</c> at the same size; null when that did not run.</summary>
    public double? TimesSocketAsync { get; init; }

    /// <summary>Receive buffer that the system granted, in bytes; null where another program has it.</summary>
    public int? BufferGrantedBytes { get; init; }

    /// <summary>Trains that the route refused in all rounds: above 0 the row is slower than it should be.</summary>
    public long Demotions { get; init; }

    /// <summary>Measured rounds behind the medians.</summary>
    public int RoundCount { get; init; }

    /// <summary>True for another program, run beside the rows and not in rounds with them.</summary>
    public bool IsPeerProgram { get; init; }

    /// <summary>The medians of a cell's rounds.</summary>
    internal static BenchRowResult FromRounds(string name, int sizeBytes, IReadOnlyList<RoundMeasurement> rounds)
    {
        double[] rates = [.. rounds.Select(round => round.DatagramsPerSecond)];
        return new BenchRowResult
        {
            Name = name,
            SizeBytes = sizeBytes,
            DatagramsPerSecond = Statistics.Median(rates),
            BitsPerSecond = Statistics.Median([.. rounds.Select(round => round.BitsPerSecond)]),
            LostPercent = Statistics.Median([.. rounds.Select(round => round.LostPercent)]),
            SendNanosecondsPerDatagram = BenchMath.Median(rounds.Select(round => round.SendNanosecondsPerDatagram)),
            ReceiveNanosecondsPerDatagram =
                BenchMath.Median(rounds.Select(round => round.ReceiveNanosecondsPerDatagram)),
            AllocatedBytesPerDatagram = BenchMath.Median(rounds.Select(round => round.AllocatedBytesPerDatagram)),
            Gen0Collections = rounds.Sum(round => round.Gen0Collections),
            DatagramsPerCall = BenchMath.Median(rounds.Select(round => round.DatagramsPerCall)),
            SpreadPercent = rounds.Count > 1 ? Statistics.SpreadPercent(rates) : null,
            BufferGrantedBytes = rounds[^1].BufferGrantedBytes,
            RoundCount = rounds.Count,
            Demotions = rounds.Sum(round => round.Demotions),
        };
    }

    /// <summary>Fills <see cref="TimesSocketAsync"/> size by size.</summary>
    internal static List<BenchRowResult> WithFactors(IReadOnlyList<BenchRowResult> rows, string baselineName)
    {
        Dictionary<int, double> baselines = rows
            .Where(row => string.Equals(row.Name, baselineName, StringComparison.Ordinal) && row.DatagramsPerSecond > 0)
            .ToDictionary(row => row.SizeBytes, row => row.DatagramsPerSecond);
        return [.. rows.Select(row => row with
        {
            TimesSocketAsync = baselines.TryGetValue(row.SizeBytes, out double baseline)
                ? row.DatagramsPerSecond / baseline
                : null,
        })];
    }
}
