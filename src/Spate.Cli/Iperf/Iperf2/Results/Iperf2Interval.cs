using Spate.Cli.Iperf.Iperf2.Wire;

namespace Spate.Cli.Iperf.Iperf2.Results;

/// <summary>A part of a run, or the whole of it.</summary>
/// <param name="Number">The flow's number; null for the sum of all flows.</param>
/// <param name="StartSeconds">When it began, from the flow's start on.</param>
/// <param name="EndSeconds">When it ended.</param>
/// <param name="Bytes">Payload bytes sent or received in it.</param>
/// <param name="Counts">What a receiver counted in it; null at a sender.</param>
internal sealed record Iperf2Interval(
    int? Number, double StartSeconds, double EndSeconds, long Bytes, Iperf2Counts? Counts);
