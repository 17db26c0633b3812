using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sessions;

/// <summary>One number of peers in one pattern at one size: medians over the rounds.</summary>
internal sealed record SessionsRow
{
    /// <summary>The number of sessions in the table.</summary>
    public required int Peers { get; set; }

    /// <summary>
    /// In <c>runs</c>, a peer has 64 datagrams in succession, as if coalesced; in <c>scattered</c>, one.
    /// </summary>
    public required string Pattern { get; set; }

    public required int SizeBytes { get; set; }

    /// <summary>The nanoseconds to receive a datagram, find its session and count it there.</summary>
    public required double NanosecondsPerDatagram { get; set; }

    /// <summary>The table's part of these: the difference to a drain without a table in the same round.</summary>
    public double TableNanosecondsPerDatagram { get; set; }

    /// <summary>The cost divided by that with one session at this size: the median of the rounds' quotients.</summary>
    public double TimesOneSession { get; set; }

    public double SpreadPercent { get; set; }

    /// <summary>The nanoseconds per datagram of each round, in the order of the rounds.</summary>
    public double[] Samples { get; set; } = [];

    internal IEnumerable<ComparedFigure> Figures =>
    [
        ComparedFigure.Cost(
            RowText.At($"{RowText.Count(Peers, "peer")}, {Pattern}", SizeBytes),
            "nanosecondsPerDatagram",
            NanosecondsPerDatagram,
            Samples),
    ];

    public override string ToString() => RecordText.Of(nameof(SessionsRow), PrintMembers, (nameof(Samples), Samples));
}
