namespace Spate.Cli.Iperf.Iperf3.Options;

/// <summary>How the output of a test looks, and where it goes.</summary>
internal sealed record Iperf3OutputOptions
{
    /// <summary>Whether the output is one JSON document (-J).</summary>
    public bool IsJson { get; init; }

    /// <summary>Whether the output is a line of JSON for each event (--json-stream).</summary>
    public bool IsJsonStream { get; init; }

    /// <summary>Whether the whole document follows the lines of the events.</summary>
    public bool HasFullOutput { get; init; }

    /// <summary>
    /// The unit of rates (-f): one of <c>kmgtKMGT</c>, or <c>a</c> (the default) for the one that fits.
    /// </summary>
    public char Format { get; init; } = 'a';

    /// <summary>Whether the text has more details (-V).</summary>
    public bool IsVerbose { get; init; }

    /// <summary>The word that begins every line (-T); empty for none.</summary>
    public string Title { get; init; } = "";

    /// <summary>The format of strftime(3) of the time that begins every line; null for no time.</summary>
    public string? TimestampFormat { get; init; }

    /// <summary>The file that the output is appended to; null for stdout.</summary>
    public string? LogFile { get; init; }
}
