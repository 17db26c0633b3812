using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf2.Ends;

internal sealed record Iperf2ClientOptions
{
    public const int DefaultPort = 5001;

    /// <summary>Payload bytes of a datagram to an IPv4 address.</summary>
    public const int DefaultSizeBytes = 1470;

    /// <summary>Payload bytes of a datagram to an IPv6 address.</summary>
    public const int DefaultSizeBytesIPv6 = 1450;

    /// <summary>The smallest datagram: room for the number and the time of sending.</summary>
    public const int MinSizeBytes = 12;

    public const double DefaultBitsPerSecond = 1_048_576;

    public const int MaxFlowCount = 128;

    public required UdpEndPoint Server { get; init; }

    /// <summary>The address, and the port of a single flow, to send from; the default lets the system choose.</summary>
    public UdpEndPoint Local { get; init; }

    /// <summary>Payload bytes of a datagram, <see cref="MinSizeBytes"/> to 65,507; null: iperf 2's default.</summary>
    public int? SizeBytes { get; init; }

    /// <summary>The rate of each flow; infinite for no limit; null for <see cref="DefaultBitsPerSecond"/>.</summary>
    public double? DatagramsPerSecond { get; init; }

    /// <summary>Not used where <see cref="ByteCount"/> is set.</summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Payload bytes that each flow sends, rounded up to whole datagrams; null for a time.</summary>
    public long? ByteCount { get; init; }

    /// <summary>Flows, each with a socket and a thread of its own: 1 to 128.</summary>
    public int FlowCount { get; init; } = 1;

    /// <summary>Asks for as much back, in as many flows; it needs datagrams of 76 bytes at least.</summary>
    public Iperf2Reverse Reverse { get; init; }

    /// <summary>For what comes back; 0 for a port that the system chooses, null for the server's.</summary>
    public int? ListenPort { get; init; }

    /// <summary>The time between two interval reports; zero for none.</summary>
    public TimeSpan Interval { get; init; }

    /// <summary>The time to live or hop limit, 1 to 255; null for the system's.</summary>
    public int? TimeToLive { get; init; }

    public TransportOptions Transport { get; init; } = new();

    internal int Size => SizeBytes ?? DefaultSizeTo(Server);

    internal double Rate => DatagramsPerSecond ?? DefaultBitsPerSecond / 8 / Size;

    /// <summary>How long a flow takes at its rate; one without a rate is not known, and 0.</summary>
    internal TimeSpan Expected => ByteCount is { } bytes
        ? TimeSpan.FromSeconds(Math.Min(bytes / (Rate * Size), TimeSpan.FromDays(1).TotalSeconds))
        : Duration;

    internal static int DefaultSizeTo(in UdpEndPoint server) =>
        server.IsIPv6 ? DefaultSizeBytesIPv6 : DefaultSizeBytes;

    internal Iperf2Settings ToSettings(int port)
    {
        double bitsPerSecond = Rate * Size * 8;
        return new Iperf2Settings
        {
            Reverse = Reverse,
            FlowCount = FlowCount,
            Port = port,
            SizeBytes = Size,
            BitsPerSecond = double.IsInfinity(bitsPerSecond) ? 0 : (long)bitsPerSecond,
            TrafficClass = Transport.TrafficClass ?? 0,

            // An amount of 0 would be no time.
            Amount = ByteCount ?? -Math.Max(1, (long)(Duration.TotalSeconds * 100)),
        };
    }

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(Size, MinSizeBytes, nameof(SizeBytes));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Size, 65_507, nameof(SizeBytes));
        if (Reverse != Iperf2Reverse.None)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(Size, Iperf2Settings.Bytes, nameof(SizeBytes));
        }

        ArgumentOutOfRangeException.ThrowIfNegative(ListenPort ?? 0, nameof(ListenPort));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(ListenPort ?? 0, 65_535, nameof(ListenPort));
        if (!(Rate > 0)) throw new ArgumentOutOfRangeException(nameof(DatagramsPerSecond));
        ArgumentOutOfRangeException.ThrowIfLessThan(ByteCount ?? 1, 1, nameof(ByteCount));
        ArgumentOutOfRangeException.ThrowIfLessThan(FlowCount, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(FlowCount, MaxFlowCount);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(Duration, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(Interval, TimeSpan.Zero);
    }
}
