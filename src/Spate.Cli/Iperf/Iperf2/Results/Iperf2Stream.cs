using Spate.Cli.Iperf.Iperf2.Wire;

namespace Spate.Cli.Iperf.Iperf2.Results;

/// <summary>One client's flow, as one end of it knows it.</summary>
/// <param name="Number">The number that lines show, from 1 on.</param>
/// <param name="Local">This end.</param>
/// <param name="Remote">The other end.</param>
internal sealed record Iperf2Stream(int Number, UdpEndPoint Local, UdpEndPoint Remote)
{
    /// <summary>Whether a server sends it back to a client that asked for it.</summary>
    public bool IsReverse { get; init; }
}

/// <summary>A part of a run, or the whole of it.</summary>
/// <param name="Number">The flow's number; null for the sum of all flows.</param>
/// <param name="StartSeconds">When it began, from the flow's start on.</param>
/// <param name="EndSeconds">When it ended.</param>
/// <param name="Bytes">Payload bytes sent or received in it.</param>
/// <param name="Counts">What a receiver counted in it; null at a sender.</param>
internal sealed record Iperf2Interval(
    int? Number, double StartSeconds, double EndSeconds, long Bytes, Iperf2Counts? Counts);
