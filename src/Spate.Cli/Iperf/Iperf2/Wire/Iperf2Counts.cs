using System.Runtime.InteropServices;

namespace Spate.Cli.Iperf.Iperf2.Wire;

/// <summary>
/// What a receiver counts as iperf 2 counts it: the datagram that ends a flow is one of its datagrams, a copy counts as
/// out of order, and each one out of order takes one from the loss.
/// </summary>
/// <param name="Lost">Gaps in the numbers less what was out of order, never below 0.</param>
/// <param name="Total">How many the highest number says were sent.</param>
/// <param name="OutOfOrder">Those with a number at or below the highest one before.</param>
/// <param name="JitterSeconds">The jitter of RFC 1889, A.8.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct Iperf2Counts(
    long Bytes, long Lost, long Total, long OutOfOrder, double JitterSeconds);

/// <summary>What a server says of a flow when it acknowledges the end.</summary>
internal sealed record Iperf2ServerReport(double Seconds, Iperf2Counts Counts);
