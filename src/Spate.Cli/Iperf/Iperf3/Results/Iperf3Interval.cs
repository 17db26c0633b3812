namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>What this end counted in an interval.</summary>
/// <param name="StartSeconds">
/// When it began, in seconds since the start of the test or the end of what is omitted.
/// </param>
/// <param name="EndSeconds">When it ended.</param>
/// <param name="IsOmitted">Whether it is left out of the results.</param>
/// <param name="Streams">The counts of every stream, in the order of <see cref="Iperf3Test.Streams"/>.</param>
internal sealed record Iperf3Interval(
    double StartSeconds, double EndSeconds, bool IsOmitted, IReadOnlyList<Iperf3Counts> Streams)
{
    /// <summary>The interval's length in seconds.</summary>
    public double Seconds => EndSeconds - StartSeconds;

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(Iperf3Interval), PrintMembers, (nameof(Streams), Streams));
}
