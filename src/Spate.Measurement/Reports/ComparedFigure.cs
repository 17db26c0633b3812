namespace Spate.Measurement.Reports;

/// <summary>One figure of one row of a report.</summary>
/// <param name="Row">The row, for example <c>spate-mmsg, 64 bytes</c>; empty where the report has no rows.</param>
/// <param name="Name">The name of the figure, as in the JSON where the JSON has it.</param>
/// <param name="IsHigherBetter">Whether a larger value is better.</param>
/// <param name="Value">The value of the whole run, with rounds their median; null where it is not known.</param>
/// <param name="Rounds">The values of the rounds; empty where the report holds none of this figure.</param>
internal sealed record ComparedFigure(
    string Row, string Name, bool IsHigherBetter, double? Value, IReadOnlyList<double> Rounds)
{
    // Names of figures that several kinds of reports have.
    public const string Rate = "datagramsPerSecond";
    public const string Lost = "lostPercent";
    public const string Processed = "processedPercent";
    public const string Allocated = "allocatedBytesPerDatagram";
    public const string Receive = "receiveNanosecondsPerDatagram";
    public const string Send = "sendNanosecondsPerDatagram";

    /// <summary>What is said of a figure with values that no run measures.</summary>
    public const string Negative = "a report has values below 0, which no run measures";

    /// <summary>Why the run cannot measure the figure, in one sentence; null where it can.</summary>
    public string? NoMeasure { get; init; }

    /// <summary>A figure of which a smaller value is better.</summary>
    public static ComparedFigure Cost(string row, string name, double? value, params IReadOnlyList<double> rounds) =>
        new(row, name, IsHigherBetter: false, value, rounds);

    /// <summary>A figure of which a larger value is better.</summary>
    public static ComparedFigure Gain(string row, string name, double? value, params IReadOnlyList<double> rounds) =>
        new(row, name, IsHigherBetter: true, value, rounds);
}
