using System.Text.Json;
using System.Text.Json.Serialization;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Shell;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>
/// iperf3's JSON document: names, types and order of 3.12, with what 3.21 has added. What is null is not there.
/// </summary>
internal sealed class Iperf3JsonDocument
{
    public required Iperf3JsonStart Start { get; init; }

    public required IReadOnlyList<Iperf3JsonInterval> Intervals { get; init; }

    public required Iperf3JsonEnd End { get; init; }

    public JsonElement? ServerOutputJson { get; init; }

    public string? ServerOutputText { get; init; }

    public JsonElement? Spate { get; init; }

    public string? Title { get; init; }

    public string? ExtraData { get; init; }

    public string? Error { get; init; }
}

/// <summary>Of a test that has not begun, there is only what is known of this end.</summary>
internal sealed class Iperf3JsonStart
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

    public Iperf3JsonTestStart? TestStart { get; init; }
}

internal sealed record Iperf3JsonConnection(
    int Socket, string LocalHost, int LocalPort, string RemoteHost, int RemotePort);

internal sealed record Iperf3JsonTime(string Time, long Timesecs);

internal sealed record Iperf3JsonPeer(string Host, int Port);

internal sealed class Iperf3JsonTestStart
{
    public string Protocol { get; } = "UDP";

    public int NumStreams { get; init; }

    public int Blksize { get; init; }

    public int Omit { get; init; }

    public int Duration { get; init; }

    public long Bytes { get; init; }

    public long Blocks { get; init; }

    public int Reverse { get; init; }

    public int Tos { get; init; }

    public long TargetBitrate { get; init; }

    public int Bidir { get; init; }

    public long Fqrate { get; init; }

    public double Interval { get; init; }

    public int Gso { get; init; }

    public int Gro { get; init; }
}

internal sealed class Iperf3JsonInterval
{
    public required IReadOnlyList<Iperf3JsonRow> Streams { get; init; }

    public required Iperf3JsonRow Sum { get; init; }

    public Iperf3JsonRow? SumBidirReverse { get; init; }
}

internal sealed class Iperf3JsonEnd
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
    public JsonElement? Spate { get; set; }
}

internal sealed record Iperf3JsonEndStream(Iperf3JsonRow Udp);

/// <summary>What was counted of a stream or of all of them; a sender's interval knows of no loss.</summary>
internal sealed record Iperf3JsonRow
{
    public int? Socket { get; init; }

    public double Start { get; init; }

    public double End { get; init; }

    public double Seconds { get; init; }

    public long Bytes { get; init; }

    public double BitsPerSecond { get; init; }

    public double? JitterMs { get; init; }

    public long? LostPackets { get; init; }

    public long Packets { get; init; }

    public double? LostPercent { get; init; }

    public bool? Omitted { get; init; }

    public long? OutOfOrder { get; init; }

    public bool Sender { get; init; }
}

internal sealed record Iperf3JsonCpu(
    double HostTotal, double HostUser, double HostSystem, double RemoteTotal, double RemoteUser, double RemoteSystem);

/// <summary>The exact figures of an outcome, every number finite; <c>remote</c> is null where that is iperf3.</summary>
internal sealed record Iperf3Figures(
    string Schema,
    string SpateVersion,
    IReadOnlyList<Iperf3Direction> Directions,
    IReadOnlyList<string> Notes,
    TestEndReport Local,
    TestEndReport? Remote)
{
    public override string ToString() => RecordText.Of(
        nameof(Iperf3Figures), PrintMembers, (nameof(Directions), Directions), (nameof(Notes), Notes));
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(Iperf3JsonDocument))]
internal sealed partial class Iperf3JsonKeys : JsonSerializerContext;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(Iperf3Figures))]
internal sealed partial class Iperf3FigureKeys : JsonSerializerContext;
