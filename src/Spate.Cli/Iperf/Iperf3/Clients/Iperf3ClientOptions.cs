using System.Net;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Clients;

internal sealed record Iperf3ClientOptions
{
    public const int DefaultPort = 5201;

    /// <summary>Tried in their order.</summary>
    public required IReadOnlyList<IPEndPoint> Servers { get; init => field = RecordList.Copy(value); }

    public Iperf3Parameters Parameters { get; init; } = new();

    /// <summary>To connect from; null for the system's choice.</summary>
    public IPAddress? Local { get; init; }

    /// <summary>Of the first stream's socket, the next one's is one more; 0 for any.</summary>
    public int StreamPort { get; init; }

    /// <summary>Zero for as long as the system waits.</summary>
    public TimeSpan ConnectTimeout { get; init; }

    /// <summary>How long a receiver waits for data: 120 s, as iperf3 does.</summary>
    public TimeSpan ReceiveTimeout { get; init; } = TimeSpan.FromSeconds(120);

    /// <summary>Zero for a single interval at the end.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>For the threads of the streams, used in turn; empty for the system's choice.</summary>
    public IReadOnlyList<int> Cpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>See <see cref="TrafficOptions.PlacesBesidePeer"/>: the server is on this host.</summary>
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
