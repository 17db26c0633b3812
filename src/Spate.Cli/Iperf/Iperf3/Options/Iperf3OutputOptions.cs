namespace Spate.Cli.Iperf.Iperf3.Options;

/// <summary>How the output of a test looks, and where it goes.</summary>
internal sealed record Iperf3OutputOptions
{
    public bool IsJson { get; init; }

    public bool IsJsonStream { get; init; }

    /// <summary>Whether the whole document follows the lines of the events.</summary>
    public bool HasFullOutput { get; init; }

    /// <summary>The unit of rates (-f): one of <c>kmgtKMGT</c>, or <c>a</c> for the one that fits.</summary>
    public char Format { get; init; } = 'a';

    public bool IsVerbose { get; init; }

    /// <summary>What begins every line (-T); empty for none.</summary>
    public string Title { get; init; } = "";

    /// <summary>A format of strftime(3) for the start of every line; null for no time.</summary>
    public string? TimestampFormat { get; init; }

    /// <summary>The file that the output is appended to; null for stdout.</summary>
    public string? LogFile { get; init; }
}
