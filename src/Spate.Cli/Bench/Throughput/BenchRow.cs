using System.Text.Json.Serialization;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Throughput;

/// <summary>One way to move datagrams at one size: medians over the rounds, null where not known.</summary>
internal sealed record BenchRow
{
    /// <summary>For instance <c>spate-mmsg-gso-gro</c>.</summary>
    public required string Name { get; set; }

    public required int SizeBytes { get; set; }

    /// <summary>Those that the receiver visited while the sender was sending.</summary>
    public required double DatagramsPerSecond { get; set; }

    /// <summary>The payload of the same datagrams.</summary>
    public required double BitsPerSecond { get; set; }

    /// <summary>Never received; those in flight when the sender stopped count as received if they arrive.</summary>
    public required double LostPercent { get; set; }

    /// <summary>User and system time of the sender's thread.</summary>
    public required double? SendNanosecondsPerDatagram { get; set; }

    /// <summary>The receiver's own thread; where pool threads receive, the process less the sender's thread.</summary>
    public required double? ReceiveNanosecondsPerDatagram { get; set; }

    /// <summary>Allocated by the whole process; null for another program.</summary>
    public required double? AllocatedBytesPerDatagram { get; set; }

    /// <summary>In all rounds together; null for another program.</summary>
    public required int? Gen0Collections { get; set; }

    /// <summary>Only calls that returned at least one.</summary>
    public required double? DatagramsPerCall { get; set; }

    /// <summary>0 with one round.</summary>
    public required double SpreadPercent { get; set; }

    /// <summary>The datagrams per second of each round, in the order of the rounds.</summary>
    public double[] Samples { get; set; } = [];

    /// <summary>In all rounds. Each makes the row slower than it should be. Not part of the JSON.</summary>
    [JsonIgnore]
    public long GsoFallbacks { get; set; }

    internal IEnumerable<ComparedFigure> Figures
    {
        get
        {
            string name = RowText.At(Name, SizeBytes);
            return
            [
                ComparedFigure.Gain(name, ComparedFigure.Rate, DatagramsPerSecond, Samples),
                ComparedFigure.Cost(name, ComparedFigure.Lost, LostPercent),
                ComparedFigure.Cost(name, ComparedFigure.Send, SendNanosecondsPerDatagram),
                ComparedFigure.Cost(name, ComparedFigure.Receive, ReceiveNanosecondsPerDatagram),
                ComparedFigure.Cost(name, ComparedFigure.Allocated, AllocatedBytesPerDatagram),
            ];
        }
    }

    internal MeasuredCapacity Capacity => new(
        $"bench, {Name}", SizeBytes, DatagramsPerSecond, DatagramsPerSecond, LostPercent,
        ReceiveNanosecondsPerDatagram, Threads: 1, Cpus: null)
    {
        DatagramsPerCall = DatagramsPerCall,
    };

    public override string ToString() => RecordText.Of(nameof(BenchRow), PrintMembers, (nameof(Samples), Samples));

    /// <summary>The medians of a row's rounds, of which there is at least one.</summary>
    internal static BenchRow Of(string name, int sizeBytes, IReadOnlyList<RoundMeasurement> rounds)
    {
        double[] rates = [.. rounds.Select(static round => round.DatagramsPerSecond)];
        return new BenchRow
        {
            Name = name,
            SizeBytes = sizeBytes,
            DatagramsPerSecond = Statistics.Median(rates),
            BitsPerSecond = Statistics.Median([.. rounds.Select(static round => round.BitsPerSecond)]),
            LostPercent = Statistics.Median([.. rounds.Select(static round => round.LostPercent)]),
            SendNanosecondsPerDatagram =
                Statistics.MedianOfKnown(rounds.Select(static round => round.SendNanosecondsPerDatagram)),
            ReceiveNanosecondsPerDatagram =
                Statistics.MedianOfKnown(rounds.Select(static round => round.ReceiveNanosecondsPerDatagram)),
            AllocatedBytesPerDatagram =
                Statistics.MedianOfKnown(rounds.Select(static round => round.AllocatedBytesPerDatagram)),
            Gen0Collections = rounds.Sum(static round => round.Gen0Collections),
            DatagramsPerCall = Statistics.MedianOfKnown(rounds.Select(static round => round.DatagramsPerCall)),
            SpreadPercent = Statistics.SpreadPercent(rates),
            Samples = rates,
            GsoFallbacks = rounds.Sum(static round => round.GsoFallbacks),
        };
    }
}
