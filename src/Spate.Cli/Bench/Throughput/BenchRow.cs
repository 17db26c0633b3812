using System.Text.Json.Serialization;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Throughput;

/// <summary>
/// One way to move datagrams at one size: medians over the rounds. A figure that is not known is null.
/// </summary>
internal sealed record BenchRow
{
    /// <summary>The way to move datagrams, for instance <c>spate-mmsg-gso-gro</c>.</summary>
    public required string Name { get; set; }

    /// <summary>Payload bytes of a datagram.</summary>
    public required int SizeBytes { get; set; }

    /// <summary>Datagrams that the receiver visited per second while the sender was sending.</summary>
    public required double DatagramsPerSecond { get; set; }

    /// <summary>Payload bits per second, of the same datagrams.</summary>
    public required double BitsPerSecond { get; set; }

    /// <summary>
    /// Datagrams that were sent and never received, in percent of those sent. Datagrams in flight when the sender
    /// stopped count as received if they arrive.
    /// </summary>
    public required double LostPercent { get; set; }

    /// <summary>CPU time of the sender's thread, user and system, in nanoseconds per datagram sent.</summary>
    public required double? SendNanosecondsPerDatagram { get; set; }

    /// <summary>
    /// CPU time of the receiving side in nanoseconds per datagram received. If a thread of its own receives
    /// (<c>socket-blocking</c> and the batched rows), it is that thread's. If pool or library threads take part, it is
    /// the whole process's less that of the sender's thread.
    /// </summary>
    public required double? ReceiveNanosecondsPerDatagram { get; set; }

    /// <summary>Bytes that the whole process allocated per datagram received; null for another program.</summary>
    public required double? AllocatedBytesPerDatagram { get; set; }

    /// <summary>Gen-0 collections in all rounds together; null for another program.</summary>
    public required int? Gen0Collections { get; set; }

    /// <summary>Datagrams per receive call that returned at least one.</summary>
    public required double? DatagramsPerCall { get; set; }

    /// <summary>
    /// How far <see cref="Samples"/> lie apart, see <see cref="Statistics.SpreadPercent"/>; 0 with one round.
    /// </summary>
    public required double SpreadPercent { get; set; }

    /// <summary>The datagrams per second of each round, in the order of the rounds.</summary>
    public double[] Samples { get; set; } = [];

    /// <summary>
    /// GSO messages that the route refused in all rounds. Each makes the row slower than it should be. Not part of the
    /// JSON.
    /// </summary>
    [JsonIgnore]
    public long GsoFallbacks { get; set; }

    /// <summary>What can be better or worse.</summary>
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

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(BenchRow), PrintMembers, (nameof(Samples), Samples));

    /// <summary>The medians of a row's rounds.</summary>
    /// <param name="name">The row's name.</param>
    /// <param name="sizeBytes">Payload bytes of a datagram.</param>
    /// <param name="rounds">The row's rounds; at least one.</param>
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
