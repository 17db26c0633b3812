namespace Spate.Measurement.Reports;

/// <summary>One figure of one row of a report.</summary>
/// <param name="Row">The row, for example <c>spate-mmsg, 64 bytes</c>; empty where the report has no rows.</param>
/// <param name="Value">The value of the whole run, with rounds their median; null where it is not known.</param>
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

    public const string Negative = "a report has values below 0, which no run measures";

    public string? NoMeasure { get; init; }

    public static ComparedFigure Cost(string row, string name, double? value, params IReadOnlyList<double> rounds) =>
        new(row, name, IsHigherBetter: false, value, rounds);

    public static ComparedFigure Gain(string row, string name, double? value, params IReadOnlyList<double> rounds) =>
        new(row, name, IsHigherBetter: true, value, rounds);
}
