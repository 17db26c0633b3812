using Spate.Measurement.Traffic;

namespace Spate.Measurement.Iperf2;

/// <summary>What an <see cref="Iperf2Client"/> sends.</summary>
public sealed record Iperf2ClientOptions
{
    /// <summary>The port of a server that names none: 5001.</summary>
    public const int DefaultPort = 5001;

    /// <summary>The payload bytes of a datagram to an IPv4 address: 1470.</summary>
    public const int DefaultSizeBytes = 1470;

    /// <summary>The payload bytes of a datagram to an IPv6 address: 1450.</summary>
    public const int DefaultSizeBytesIPv6 = 1450;

    /// <summary>The smallest datagram: room for the number and the time of sending.</summary>
    public const int MinSizeBytes = 12;

    /// <summary>The bits per second of a flow that names no rate: 1,048,576.</summary>
    public const double DefaultBitsPerSecond = 1_048_576;

    /// <summary>The most flows of a client.</summary>
    public const int MaxFlowCount = 128;

    /// <summary>Where the server listens.</summary>
    public required UdpEndPoint Server { get; init; }

    /// <summary>The address, and the port of a single flow, to send from; the default lets the system choose.</summary>
    public UdpEndPoint Local { get; init; }

    /// <summary>
    /// Payload bytes of a datagram, <see cref="MinSizeBytes"/> to 65,507; null (the default) for iperf 2's default.
    /// </summary>
    public int? SizeBytes { get; init; }

    /// <summary>
    /// Datagrams per second of each flow, above 0; infinite for as fast as possible; null (the default) for
    /// <see cref="DefaultBitsPerSecond"/>.
    /// </summary>
    public double? DatagramsPerSecond { get; init; }

    /// <summary>How long to send; not used where <see cref="ByteCount"/> is set. Default: 10 s.</summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Payload bytes that each flow sends, rounded up to whole datagrams; null (the default) for a time.
    /// </summary>
    public long? ByteCount { get; init; }

    /// <summary>Flows, each with a socket and a thread of its own: 1 (the default) to 128.</summary>
    public int FlowCount { get; init; } = 1;

    /// <summary>Time between two interval reports; zero (the default) for none.</summary>
    public TimeSpan Interval { get; init; }

    /// <summary>The time to live or hop limit of what is sent, 1 to 255; null for the system's.</summary>
    public int? TimeToLive { get; init; }

    /// <summary>The backend, buffers, offloads and traffic class of the sockets.</summary>
    public TransportOptions Transport { get; init; } = new();

    internal int Size => SizeBytes ?? (Server.IsIPv6 ? DefaultSizeBytesIPv6 : DefaultSizeBytes);

    internal double Rate => DatagramsPerSecond ?? DefaultBitsPerSecond / 8 / Size;

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(Size, MinSizeBytes, nameof(SizeBytes));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Size, 65_507, nameof(SizeBytes));
        if (!(Rate > 0)) throw new ArgumentOutOfRangeException(nameof(DatagramsPerSecond));
        ArgumentOutOfRangeException.ThrowIfLessThan(ByteCount ?? 1, 1, nameof(ByteCount));
        ArgumentOutOfRangeException.ThrowIfLessThan(FlowCount, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(FlowCount, MaxFlowCount);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(Duration, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(Interval, TimeSpan.Zero);
    }
}
