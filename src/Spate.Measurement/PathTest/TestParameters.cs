using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization;
using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>
/// A test as asked for and as granted: JSON of a stranger, not used before <see cref="FindFault"/> found none. Setters,
/// since the reader of JSON gives init-only members no default.
/// </summary>
internal sealed record TestParameters
{
    public const int MaxFlowCount = 64;

    public const int MaxLabelLength = 64;

    public const int MaxSeconds = 365 * 24 * 3600;
    private const int MaxCpus = 64;
    private const int MaxCpu = 65_535;
    private const double MinSeconds = 0.001;
    private const double MinIntervalSeconds = 0.1;
    private const double MinDeadlineSeconds = 1e-6;

    public TestDirection Direction { get; set; }

    /// <summary>Sockets, each with a thread for every direction.</summary>
    public int Flows { get; set; } = 1;

    public int SizeBytes { get; set; } = TrafficSenderOptions.DefaultSizeBytes;

    /// <summary>Of all flows of one direction together; null for as fast as possible.</summary>
    public double? DatagramsPerSecond { get; set; }

    /// <summary>Of all flows of one direction together; null for no such end.</summary>
    public long? DatagramCount { get; set; }

    /// <summary>How long to send; null leaves it to the server's limit.</summary>
    public double? Seconds { get; set; }

    /// <summary>Seconds between two entries of the reports; 0 for none.</summary>
    public double IntervalSeconds { get; set; } = 1;

    /// <summary>How the flows that send wait; null for what <see cref="PacerWait.ModeFor"/> chooses.</summary>
    public PaceMode? Pace { get; set; }

    /// <summary>The socket buffers that the server asks for; null for its own choice.</summary>
    public int? BufferBytes { get; set; }

    /// <summary>CPUs of the server's threads, used in turn; empty for its own choice.</summary>
    public int[] Cpus { get; set; } = [];

    /// <summary>The server chooses CPUs by its topology and interrupts; <see cref="Cpus"/> is empty then.</summary>
    public bool AutomaticCpus { get; set; }

    public bool ForceBuffers { get; set; } = true;

    public bool SegmentedSend { get; set; } = true;

    public bool CoalescedReceive { get; set; } = true;

    public int? TrafficClass { get; set; }

    public bool DontFragment { get; set; }

    /// <summary>Whether every datagram carries a checksum, which its receiver verifies.</summary>
    public bool Verify { get; set; }

    /// <summary>Later datagrams count as after the deadline; null for none.</summary>
    public double? DeadlineSeconds { get; set; }

    /// <summary>Off: the CPUs of both hosts that work, or that the test uses.</summary>
    public bool AllCores { get; set; }

    /// <summary>Shown by the server, held by both reports.</summary>
    public string Label { get; set; } = "";

    public bool Sends(bool isClient) => Direction != (isClient ? TestDirection.Reverse : TestDirection.Forward);

    public bool SendsTimed(bool isClient) => Pace == PaceMode.Txtime && Sends(isClient);

    /// <summary>The test with the lower of two durations and of two rates; a missing rate is unlimited.</summary>
    public TestParameters LimitedTo(double maxSeconds, double? maxRate) => this with
    {
        Seconds = Math.Min(Seconds ?? maxSeconds, maxSeconds),
        DatagramsPerSecond = maxRate is { } max ? Math.Min(DatagramsPerSecond ?? max, max) : DatagramsPerSecond,
    };

    /// <summary>The transport of an end: the options of its user, restricted by those of the test.</summary>
    public TransportOptions TransportOf(TransportOptions own, bool isClient) => own with
    {
        BufferBytes = (isClient ? null : BufferBytes) ?? own.BufferBytes,
        ForceBuffers = ForceBuffers && own.ForceBuffers,
        SegmentedSend = SegmentedSend && own.SegmentedSend,
        CoalescedReceive = CoalescedReceive && own.CoalescedReceive,
        TrafficClass = TrafficClass ?? own.TrafficClass,
        DontFragment = DontFragment || own.DontFragment,
    };

    /// <summary>The options of the sockets of an end's flows.</summary>
    public UdpSocketOptions SocketOptions(TransportOptions own, bool isClient) =>
        TransportOf(own, isClient).ToSocketOptions() with { EnableTransmitTimes = SendsTimed(isClient) };

    public byte[] ToJson() => JsonSerializer.SerializeToUtf8Bytes(this, ParametersJson.Default.TestParameters);

    /// <summary>Reads what anyone may have sent.</summary>
    public static bool TryRead(ReadOnlySpan<byte> json, [NotNullWhen(true)] out TestParameters? parameters)
    {
        parameters = null;
        try
        {
            parameters = JsonSerializer.Deserialize(json, ParametersJson.Default.TestParameters);
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            // Not JSON, not of this shape, or with text that is not Unicode.
        }

        return parameters is not null;
    }

    /// <summary>One line that says what cannot be; null where everything can.</summary>
    public string? FindFault() => this switch
    {
        { Direction: < TestDirection.Forward or > TestDirection.Both } => "the direction is unknown",
        { Flows: < 1 or > MaxFlowCount } => $"a test has 1 to {MaxFlowCount} flows",
        { SizeBytes: < TestDatagram.HeaderBytes or > SendBatch.MaxPayloadBytes } =>
            $"a datagram of a test has {TestDatagram.HeaderBytes} to {SendBatch.MaxPayloadBytes} bytes",
        { Verify: true, SizeBytes: < TestDatagram.ChecksummedHeaderBytes } =>
            $"a datagram with a checksum has at least {TestDatagram.ChecksummedHeaderBytes} bytes",
        { DeadlineSeconds: not (null or (> MinDeadlineSeconds and <= MaxSeconds)) } => "the deadline is out of range",
        { DatagramsPerSecond: not (null or (>= 1 and <= RatePacer.MaxRate)) } =>
            $"a rate is from 1 to {RatePacer.MaxRate:0} datagrams per second",
        { DatagramCount: < 1 or > TestDatagram.MaxSequence } => $"a test has 1 to {TestDatagram.MaxSequence} datagrams",
        { Seconds: not (null or (>= MinSeconds and <= MaxSeconds)) } =>
            $"a test takes {MinSeconds} to {MaxSeconds} seconds",
        { IntervalSeconds: not (0 or (>= MinIntervalSeconds and <= MaxSeconds)) } => "the interval is out of range",
        { Pace: < PaceMode.Sleep or > PaceMode.Txtime } => "the pace is unknown",
        { BufferBytes: < 1 or > int.MaxValue / 2 } => "the buffer is out of range",
        { TrafficClass: < 0 or > 255 } => "the traffic class is out of range",
        { Cpus.Length: > MaxCpus } => $"at most {MaxCpus} CPUs can be named",
        { Label.Length: > MaxLabelLength } => $"a label has at most {MaxLabelLength} characters",
        _ => Array.Exists(Cpus, static cpu => cpu is < 0 or > MaxCpu) ? "a CPU's number is out of range" : null,
    };
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    RespectNullableAnnotations = true,
    MaxDepth = 8)]
[JsonSerializable(typeof(TestParameters))]
internal sealed partial class ParametersJson : JsonSerializerContext;

/// <summary>Which end of a test sends.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<TestDirection>))]
internal enum TestDirection
{
    Forward = 0,

    Reverse = 1,

    /// <summary>Both send at the same time, over the same sockets.</summary>
    Both = 2,
}
