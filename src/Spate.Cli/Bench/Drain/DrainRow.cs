using System.Text.Json.Serialization;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Drain;

/// <summary>One way to move datagrams at one size: medians over the rounds.</summary>
internal sealed record DrainRow
{
    /// <summary>For instance <c>spate-mmsg-gso-gro</c>.</summary>
    public required string Name { get; set; }

    public required int SizeBytes { get; set; }

    /// <summary>Time to receive and visit one queued datagram, in nanoseconds.</summary>
    public required double ReceiveNanosecondsPerDatagram { get; set; }

    /// <summary>Time to write 8 bytes into one datagram and send it, in nanoseconds.</summary>
    public required double SendNanosecondsPerDatagram { get; set; }

    /// <summary>The receive nanoseconds per datagram of each round, in the order of the rounds.</summary>
    public double[] Samples { get; set; } = [];

    /// <summary>The spread of <see cref="Samples"/>. Not part of the JSON.</summary>
    [JsonIgnore]
    public double ReceiveSpreadPercent { get; set; }

    /// <summary>The spread of the send times. Not part of the JSON.</summary>
    [JsonIgnore]
    public double SendSpreadPercent { get; set; }

    /// <summary>Each makes the row slower than it should be. Not part of the JSON.</summary>
    [JsonIgnore]
    public long GsoFallbacks { get; set; }

    internal IEnumerable<ComparedFigure> Figures
    {
        get
        {
            string name = RowText.At(Name, SizeBytes);
            return
            [
                ComparedFigure.Cost(name, ComparedFigure.Receive, ReceiveNanosecondsPerDatagram, Samples),
                ComparedFigure.Cost(name, ComparedFigure.Send, SendNanosecondsPerDatagram),
            ];
        }
    }

    internal MeasuredCapacity Capacity => new(
        $"drain, {Name}", SizeBytes, 1e9 / ReceiveNanosecondsPerDatagram, MeasuredPerSecond: null, LostPercent: null,
        ReceiveNanosecondsPerDatagram, Threads: 1, Cpus: null)
    {
        Assumptions =
            ["the socket is never empty: no time for waking the reader is counted, which a real load has"],
    };

    public override string ToString() => RecordText.Of(nameof(DrainRow), PrintMembers, (nameof(Samples), Samples));
}
