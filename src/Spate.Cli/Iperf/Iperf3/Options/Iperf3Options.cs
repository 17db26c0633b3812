using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Getopt;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Options;

/// <summary>What the options of <c>spate iperf3</c> have set.</summary>
internal sealed class Iperf3Options : GetoptOptions
{
    public Iperf3Options() => (Port, Interval) = (Iperf3ClientOptions.DefaultPort, TimeSpan.FromSeconds(1));

    public AddressFamily? Family { get; set; }

    public int? LocalCpu { get; set; }

    /// <summary>Whether <c>-A any</c> was given.</summary>
    public bool IsFreeToMove { get; set; }

    public int StreamPort { get; set; }

    public TimeSpan ConnectTimeout { get; set; }

    public TimeSpan? ReceiveTimeout { get; set; }

    public bool HasSeconds { get; set; }

    public string? PidFile { get; set; }

    public Iperf3Parameters Parameters { get; set; } = new() { ClientVersion = ToolVersion.Line };

    public Iperf3ServerOptions Server { get; set; } = new();

    public Iperf3OutputOptions Output { get; set; } = new();

    public TransportOptions Transport { get; set; } = new();
}
