using System.Globalization;

namespace Spate.Measurement.Counting;

/// <summary>One flow of a run.</summary>
internal sealed class StreamReport
{
    /// <summary>
    /// The stream's id as text of 16 hexadecimal digits, because JSON readers round large numbers to doubles.
    /// </summary>
    public string StreamId { get; set; } = "";

    /// <summary>Datagrams sent, or received with all copies.</summary>
    public long Datagrams { get; set; }

    /// <summary>Their payload bytes.</summary>
    public long Bytes { get; set; }

    /// <summary>See <see cref="SequenceCounts.Unique"/>; null at a sender.</summary>
    public long? Unique { get; set; }

    /// <summary>See <see cref="SequenceCounts.Lost"/>; null at a sender.</summary>
    public long? Lost { get; set; }

    /// <summary>See <see cref="SequenceCounts.Duplicated"/>; null at a sender.</summary>
    public long? Duplicated { get; set; }

    /// <summary>See <see cref="SequenceCounts.Reordered"/>; null at a sender.</summary>
    public long? Reordered { get; set; }

    /// <summary>See <see cref="SequenceCounts.Late"/>; null at a sender.</summary>
    public long? Late { get; set; }

    /// <summary>See <see cref="SequenceCounts.MissedBeforeFirst"/>; null at a sender.</summary>
    public long? MissedBeforeFirst { get; set; }

    /// <summary>Whether the end was announced, so that a loss at the tail is counted.</summary>
    public bool Ended { get; set; }

    /// <summary>The report of a stream that was received.</summary>
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

    /// <summary>The reports of all streams that a table follows.</summary>
    internal static List<StreamReport> AllOf(StreamTable table)
    {
        var reports = new List<StreamReport>();
        foreach (TestStream stream in table.Streams) reports.Add(From(stream));
        return reports;
    }
}
