using System.Net;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Clients;

internal sealed record Iperf3ClientOptions
{
    public const int DefaultPort = 5201;

    /// <summary>The server's addresses, tried in their order.</summary>
    public required IReadOnlyList<IPEndPoint> Servers { get; init => field = RecordList.Copy(value); }

    public Iperf3Parameters Parameters { get; init; } = new();

    /// <summary>The address to connect from; null for the system's choice.</summary>
    public IPAddress? Local { get; init; }

    /// <summary>The port of the first stream's socket, the next one's is one more; 0 for any.</summary>
    public int StreamPort { get; init; }

    /// <summary>How long to wait for the control connection; zero for as long as the system does.</summary>
    public TimeSpan ConnectTimeout { get; init; }

    /// <summary>How long a receiver waits for data before it gives up: 120 s, as iperf3 does.</summary>
    public TimeSpan ReceiveTimeout { get; init; } = TimeSpan.FromSeconds(120);

    /// <summary>The time between two intervals; zero for a single one at the end.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>CPUs for the threads of the streams, used in turn; empty for the system's choice.</summary>
    public IReadOnlyList<int> Cpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>As <see cref="TrafficOptions.PlacesBesidePeer"/>, in a test of one stream.</summary>
    public bool PlacesBesidePeer { get; init; }

    public TransportOptions Transport { get; init; } = new();

    public override string ToString() => RecordText.Of(
        nameof(Iperf3ClientOptions), PrintMembers, (nameof(Servers), Servers), (nameof(Cpus), Cpus));

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfZero(Servers.Count);
        ArgumentOutOfRangeException.ThrowIfNegative(StreamPort);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(StreamPort, IPEndPoint.MaxPort);
        ArgumentOutOfRangeException.ThrowIfLessThan(ConnectTimeout, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(ReceiveTimeout, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(Interval, TimeSpan.Zero);
        Parameters.Validate();
    }
}
