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
