using Spate.Cli.Iperf.Iperf3.Results;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>The sums of the streams of one direction.</summary>
internal static class Iperf3Sum
{
    /// <summary>The places of the streams that this end sends, or receives.</summary>
    public static int[] Places(Iperf3Test test, bool sends) =>
        [.. Enumerable.Range(0, test.Streams.Count).Where(place => test.Streams[place].Sends == sends)];

    /// <summary>The jitter is the mean, as iperf3 has it.</summary>
    public static Iperf3Counts Of(IReadOnlyList<Iperf3Counts> counts) => new()
    {
        Bytes = counts.Sum(static one => one.Bytes),
        Packets = counts.Sum(static one => one.Packets),
        Lost = counts.Sum(static one => one.Lost),
        OutOfOrder = counts.Sum(static one => one.OutOfOrder),
        JitterSeconds = counts.Count == 0 ? 0 : counts.Average(static one => one.JitterSeconds),
    };

    public static Iperf3Counts Of(Iperf3Interval interval, int[] places) =>
        Of([.. places.Select(place => interval.Streams[place])]);

    /// <summary>The times are those of the first stream.</summary>
    public static Iperf3StreamOutcome Of(Iperf3Outcome outcome, int[] places)
    {
        Iperf3StreamOutcome[] streams = [.. places.Select(place => outcome.Streams[place])];
        return new Iperf3StreamOutcome
        {
            Sent = Of([.. streams.Select(static one => one.Sent)]),
            SentSeconds = streams.Length == 0 ? 0 : streams[0].SentSeconds,
            Received = Of([.. streams.Select(static one => one.Received)]),
            ReceivedSeconds = streams.Length == 0 ? 0 : streams[0].ReceivedSeconds,
        };
    }
}
