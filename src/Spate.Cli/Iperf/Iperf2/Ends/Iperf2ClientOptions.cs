using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>What an <see cref="Iperf2Client"/> sends.</summary>
internal sealed record Iperf2ClientOptions
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

    /// <summary>
    /// What the server is asked to send back, of the same size, rate and amount; one flow for each of the client's.
    /// iperf 2.1.8 does so, and Spate's server within limits and if <see cref="Iperf2ServerOptions.AllowReverse"/> is
    /// set. It needs datagrams of 76 bytes at least. Default: nothing.
    /// </summary>
    public Iperf2Reverse Reverse { get; init; }

    /// <summary>
    /// Where the client listens for what comes back: 1 to 65,535, 0 for a port that the system chooses, or null (the
    /// default) for the server's port, as iperf 2 does. Only the server's address is heard.
    /// </summary>
    public int? ListenPort { get; init; }

    /// <summary>Time between two interval reports; zero (the default) for none.</summary>
    public TimeSpan Interval { get; init; }

    /// <summary>The time to live or hop limit of what is sent, 1 to 255; null for the system's.</summary>
    public int? TimeToLive { get; init; }

    /// <summary>The backend, buffers, offloads and traffic class of the sockets.</summary>
    public TransportOptions Transport { get; init; } = new();

    internal int Size => SizeBytes ?? (Server.IsIPv6 ? DefaultSizeBytesIPv6 : DefaultSizeBytes);

    internal double Rate => DatagramsPerSecond ?? DefaultBitsPerSecond / 8 / Size;

    /// <summary>How long a flow takes at its rate; one without a rate is not known, and 0.</summary>
    internal TimeSpan Expected => ByteCount is { } bytes
        ? TimeSpan.FromSeconds(Math.Min(bytes / (Rate * Size), TimeSpan.FromDays(1).TotalSeconds))
        : Duration;

    /// <summary>What each datagram says of the test.</summary>
    /// <param name="port">Where the client listens for what comes back, or else the server's port.</param>
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
