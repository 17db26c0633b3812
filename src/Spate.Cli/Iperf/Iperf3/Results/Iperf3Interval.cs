namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>What this end counted in an interval.</summary>
/// <param name="StartSeconds">Since the start of the test or the end of what is omitted.</param>
/// <param name="Streams">In the order of <see cref="Iperf3Test.Streams"/>.</param>
internal sealed record Iperf3Interval(
    double StartSeconds, double EndSeconds, bool IsOmitted, IReadOnlyList<Iperf3Counts> Streams)
{
    public double Seconds => EndSeconds - StartSeconds;

    public override string ToString() => RecordText.Of(
        nameof(Iperf3Interval), PrintMembers, (nameof(Streams), Streams));
}
