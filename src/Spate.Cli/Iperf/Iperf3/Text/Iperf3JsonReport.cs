using System.Text.Json;
using System.Text.Json.Serialization;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Shell;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>
/// iperf3's JSON document: names, types and order of 3.12, with the additions of 3.21. A null field is left out.
/// </summary>
internal sealed class Iperf3JsonReport
{
    public required Iperf3JsonTest Start { get; init; }

    public required IReadOnlyList<Iperf3JsonInterval> Intervals { get; init; }

    public required Iperf3JsonEnd End { get; init; }

    public JsonElement? ServerOutputJson { get; init; }

    public string? ServerOutputText { get; init; }

    public JsonElement? Spate { get; init; }

    public string? Title { get; init; }

    public string? ExtraData { get; init; }

    public string? Error { get; init; }
}

/// <summary>A test that has not begun has only the facts of this end.</summary>
internal sealed class Iperf3JsonTest
{
    public IReadOnlyList<Iperf3JsonConnection> Connected { get; init; } = [];

    public string Version { get; } = ToolVersion.Line;

    public string SystemInfo { get; } = SystemText.Line;

    public Iperf3JsonTime? Timestamp { get; init; }

    public Iperf3JsonPeer? ConnectingTo { get; init; }

    public Iperf3JsonPeer? AcceptedConnection { get; init; }

    public string? Cookie { get; init; }

    public long? TargetBitrate { get; init; }

    public long? FqRate { get; init; }

    public int? SockBufsize { get; init; }

    public int? SndbufActual { get; init; }

    public int? RcvbufActual { get; init; }

    public Iperf3JsonPlan? TestStart { get; init; }
}

internal sealed record Iperf3JsonConnection(
    int Socket, string LocalHost, int LocalPort, string RemoteHost, int RemotePort);

internal sealed record Iperf3JsonTime(string Time, long Timesecs);

internal sealed record Iperf3JsonPeer(string Host, int Port);

internal sealed record Iperf3JsonPlan(
    string Protocol,
    int NumStreams,
    int Blksize,
    int Omit,
    int Duration,
    long Bytes,
    long Blocks,
    int Reverse,
    int Tos,
    long TargetBitrate,
    int Bidir,
    long Fqrate,
    double Interval,
    int Gso,
    int Gro);

internal sealed class Iperf3JsonInterval
{
    public required IReadOnlyList<Iperf3JsonRow> Streams { get; init; }

    public required Iperf3JsonRow Sum { get; init; }

    public Iperf3JsonRow? SumBidirReverse { get; init; }
}

internal sealed record Iperf3JsonEnd
{
    public IReadOnlyList<Iperf3JsonEndStream>? Streams { get; init; }

    public Iperf3JsonRow? Sum { get; init; }

    public Iperf3JsonRow? SumSent { get; init; }

    public Iperf3JsonRow? SumReceived { get; init; }

    public Iperf3JsonRow? SumBidirReverse { get; init; }

    public Iperf3JsonRow? SumSentBidirReverse { get; init; }

    public Iperf3JsonRow? SumReceivedBidirReverse { get; init; }

    public Iperf3JsonCpu? CpuUtilizationPercent { get; init; }

    /// <summary>In the event alone: the document has it at its own end.</summary>
    public JsonElement? Spate { get; init; }
}

internal sealed record Iperf3JsonEndStream(Iperf3JsonRow Udp);

/// <summary>The counts of a stream or of all streams; a sender's interval has no loss.</summary>
internal sealed record Iperf3JsonRow(
    int? Socket,
    double Start,
    double End,
    double Seconds,
    long Bytes,
    double BitsPerSecond,
    double? JitterMs,
    long? LostPackets,
    long Packets,
    double? LostPercent,
    bool? Omitted,
    long? OutOfOrder,
    bool Sender);

internal sealed record Iperf3JsonCpu(
    double HostTotal, double HostUser, double HostSystem, double RemoteTotal, double RemoteUser, double RemoteSystem);

/// <summary>The exact figures of an outcome, every number finite; <c>remote</c> is null where that is iperf3.</summary>
internal sealed record Iperf3Figures(
    string Schema,
    string SpateVersion,
    IReadOnlyList<Iperf3Direction> Directions,
    IReadOnlyList<string> Notes,
    TestEndReport Local,
    TestEndReport? Remote);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(Iperf3JsonReport))]
internal sealed partial class Iperf3JsonContext : JsonSerializerContext;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(Iperf3Figures))]
internal sealed partial class Iperf3FigureContext : JsonSerializerContext;
