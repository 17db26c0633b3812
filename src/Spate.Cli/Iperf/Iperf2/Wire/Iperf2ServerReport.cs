namespace Spate.Cli.Iperf.Iperf2.Wire;

/// <summary>What a server says of a flow when it acknowledges the end.</summary>
/// <param name="Seconds">From the first datagram to the end, by the server's clock.</param>
/// <param name="Counts">What it counted.</param>
internal sealed record Iperf2ServerReport(double Seconds, Iperf2Counts Counts);
