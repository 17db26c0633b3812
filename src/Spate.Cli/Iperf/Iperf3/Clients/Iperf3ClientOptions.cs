using System.Net;
using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Clients;

internal sealed record Iperf3ClientOptions : Iperf3EndOptions
{
    public const int DefaultPort = 5201;

    /// <summary>The server's addresses, tried in their order.</summary>
    public required IReadOnlyList<IPEndPoint> Servers { get; init; }

    public Iperf3Parameters Parameters { get; init; } = new();

    /// <summary>The address to connect from; null for the system's choice.</summary>
    public IPAddress? Local { get; init; }

    /// <summary>The port of the first stream's socket, the next one's is one more; 0 for any.</summary>
    public int StreamPort { get; init; }

    /// <summary>How long to wait for the control connection; zero for as long as the system does.</summary>
    public TimeSpan ConnectTimeout { get; init; }

    internal override void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfZero(Servers.Count);
        ArgumentOutOfRangeException.ThrowIfNegative(StreamPort);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(StreamPort, IPEndPoint.MaxPort);
        ArgumentOutOfRangeException.ThrowIfLessThan(ConnectTimeout, TimeSpan.Zero);
        base.Validate();
        Parameters.Validate();
    }
}
