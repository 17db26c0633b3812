using System.Globalization;

namespace Spate.Measurement.Counting;

/// <summary>One flow of a run, by <see cref="SequenceCounts"/>; the nullable counts are null at a sender.</summary>
internal sealed class StreamReport
{
    /// <summary>As 16 hexadecimal digits, because JSON readers round large numbers to doubles.</summary>
    public string StreamId { get; set; } = "";

    /// <summary>Datagrams sent, or received with all copies.</summary>
    public long Datagrams { get; set; }

    public long Bytes { get; set; }

    public long? Unique { get; set; }

    public long? Lost { get; set; }

    public long? Duplicated { get; set; }

    public long? Reordered { get; set; }

    public long? Late { get; set; }

    public long? MissedBeforeFirst { get; set; }

    /// <summary>Whether the end was announced, so that a loss at the tail is counted.</summary>
    public bool Ended { get; set; }

    public static StreamReport From(TestStream stream)
    {
        SequenceCounts counts = stream.Counts;
        return new StreamReport
        {
            StreamId = stream.Id.ToString("x16", CultureInfo.InvariantCulture),
            Datagrams = counts.Received,
            Bytes = stream.Bytes,
            Unique = counts.Unique,
            Lost = counts.Lost,
            Duplicated = counts.Duplicated,
            Reordered = counts.Reordered,
            Late = counts.Late,
            MissedBeforeFirst = counts.MissedBeforeFirst,
            Ended = stream.Ended,
        };
    }

    internal static List<StreamReport> AllOf(StreamTable table)
    {
        var reports = new List<StreamReport>();
        foreach (TestStream stream in table.Streams) reports.Add(From(stream));
        return reports;
    }
}
