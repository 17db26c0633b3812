namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>Who is at the two ends of a test: the client first.</summary>
public enum Iperf3Pairing
{
    SpateToReal,
    RealToSpate,
    SpateToSpate,
}
