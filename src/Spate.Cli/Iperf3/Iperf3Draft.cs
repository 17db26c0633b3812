using System.Net.Sockets;
using Spate.Measurement.Iperf3;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf3;

/// <summary>What the options of a command line have set, before they are checked against each other.</summary>
internal sealed class Iperf3Draft
{
    public bool IsServer { get; set; }

    public string? Host { get; set; }

    public bool IsUdp { get; set; }

    public int Port { get; set; } = Iperf3ClientOptions.DefaultPort;

    public string? Bind { get; set; }

    public AddressFamily? Family { get; set; }

    public int? LocalCpu { get; set; }

    public int StreamPort { get; set; }

    public TimeSpan Interval { get; set; } = TimeSpan.FromSeconds(1);

    public TimeSpan ConnectTimeout { get; set; }

    public TimeSpan? ReceiveTimeout { get; set; }

    public bool HasSeconds { get; set; }

    public string? PidFile { get; set; }

    public Iperf3Parameters Parameters { get; set; } = new() { ClientVersion = Iperf3Version.Text };

    public Iperf3ServerOptions Server { get; set; } = new();

    public Iperf3OutputOptions Output { get; set; } = new();

    public TransportOptions Transport { get; set; } = new();

    public List<string> Notices { get; } = [];
}
