namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>A test between two ends, which have both ended well.</summary>
/// <param name="Client">What the client left behind.</param>
/// <param name="Server">What the server left behind.</param>
internal sealed record Iperf3Pair(ToolResult Client, ToolResult Server)
{
    public Iperf3Document ClientDocument => Iperf3Document.Parse(Client.Output);

    public Iperf3Document ServerDocument => Iperf3Document.Parse(Server.Output);
}
