using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Text.Json.Serialization;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>What an end tells of a test when it is over.</summary>
internal sealed record Iperf3Results
{
    public required Iperf3Cpu Cpu { get; init; }

    /// <summary>In both directions too. It decides how iperf3 is told of retransmits, and is not read back.</summary>
    public bool Sends { get; init; }

    /// <summary>The streams, at most those of a test in both directions.</summary>
    public required IReadOnlyList<Iperf3StreamResult> Streams { get; init; }

    public string? ServerText { get; init; }

    public string? ServerJson { get; init; }

    /// <summary>What this program measured at that end; null for another program.</summary>
    public TestEndReport? Spate { get; init; }
}

/// <summary>
/// The counts of one end for a stream, within <see cref="JsonNumbers.MaxCount"/> both ways, with the keys of the wire.
/// </summary>
internal sealed record Iperf3StreamResult
{
    public required int Id { get; init; }

    /// <summary>Payload bytes without what was omitted.</summary>
    public long Bytes { get; init; }

    /// <summary>None are known.</summary>
    public int Retransmits { get; } = -1;

    public double Jitter { get; init; }

    /// <summary>Datagrams counted as lost, omitted ones included.</summary>
    public long Errors { get; init; }

    public long OmittedErrors { get; init; }

    /// <summary>The sender's count or the receiver's highest counter, with what is omitted.</summary>
    public long Packets { get; init; }

    public long OmittedPackets { get; init; }

    /// <summary>Datagrams out of order, without what was omitted. The protocol does not carry it.</summary>
    [JsonIgnore]
    public long OutOfOrder { get; init; }

    /// <summary>Whether the other end named bytes or datagrams below zero, which are 0 here.</summary>
    [JsonIgnore]
    public bool HasNegative { get; init; }

    [JsonPropertyName("start_time")]
    public double StartSeconds { get; init; }

    [JsonPropertyName("end_time")]
    public double EndSeconds { get; init; }
}

/// <summary>The CPU time of a process during a test, in percent of one CPU.</summary>
internal sealed record Iperf3Cpu(double TotalPercent, double UserPercent, double SystemPercent);

/// <summary>The results on the wire. What this program adds stands under a key that iperf3 ignores.</summary>
internal sealed class ResultsMessage
{
    public double CpuUtilTotal { get; set; }

    public double CpuUtilUser { get; set; }

    public double CpuUtilSystem { get; set; }

    public long SenderHasRetransmits { get; set; }

    public string? ServerOutputText { get; set; }

    [JsonConverter(typeof(WireJson))]
    public string? ServerOutputJson { get; set; }

    public JsonElement Streams { get; set; }

    public JsonElement? Spate { get; set; }
}

/// <summary>The results of an end as JSON.</summary>
internal static class ResultsJson
{
    /// <summary>The longest results. iperf3 has no limit for them.</summary>
    public const int MaxBytes = 1 << 20;

    private const int MaxStreams = 2 * Iperf3Parameters.MaxStreamCount;
    private const double MaxCpuPercent = 1e6;
    private const string NotResults = "the results are not a JSON object of iperf3";

    /// <summary>Above <see cref="MaxBytes"/> the server's output goes first, and then our own report.</summary>
    public static byte[] Write(Iperf3Results results)
    {
        byte[] json = WriteWhole(results);
        if (json.Length > MaxBytes && (results.ServerText ?? results.ServerJson) is { } output)
        {
            string instead = $"the server's output has {output.Length} characters and was left out\n";
            results = results with { ServerText = instead, ServerJson = null };
            json = WriteWhole(results);
        }

        return json.Length > MaxBytes ? WriteWhole(results with { Spate = null }) : json;
    }

    /// <summary>Reads what any end may have sent, at most <see cref="MaxBytes"/>; every number is bounded.</summary>
    /// <param name="error">It may hold text of the other end, made printable.</param>
    public static bool TryRead(
        ReadOnlyMemory<byte> json,
        [NotNullWhen(true)] out Iperf3Results? results,
        [NotNullWhen(false)] out string? error)
    {
        results = null;
        error = null;
        if (json.Length > MaxBytes)
        {
            error = $"the results have {json.Length} bytes, more than the {MaxBytes} allowed";
        }
        else if (Iperf3Wire.Read<ResultsMessage>(json, Iperf3Wire.Default.ResultsMessage) is not { } message)
        {
            error = NotResults;
        }
        else if (message.Streams.ValueKind != JsonValueKind.Array || message.Streams.GetArrayLength() > MaxStreams)
        {
            error = $"the results have no list of up to {MaxStreams} streams";
        }
        else
        {
            try
            {
                error = message.Streams.EnumerateArray().Select(FaultOf)
                    .FirstOrDefault(static fault => fault is not null);
                if (error is null) results = ResultsOf(message);
            }
            catch (Exception fault) when (fault is JsonException or InvalidOperationException)
            {
                // A key in a stream that is not Unicode: the list is read only here.
                error = NotResults;
            }
        }

        return results is not null;
    }

    private static string? FaultOf(JsonElement stream)
    {
        if (stream.ValueKind != JsonValueKind.Object)
        {
            return $"a stream of the results is {Iperf3Wire.Quote(stream)}, not an object";
        }

        if (!stream.TryGetProperty("id", out JsonElement id))
        {
            return "the id of a stream of the results is missing, not a number from 1";
        }

        return id.ValueKind == JsonValueKind.Number && id.TryGetDouble(out double number)
            && Math.Truncate(number) is >= 1 and <= int.MaxValue
            ? null
            : $"the id of a stream of the results is {Iperf3Wire.Quote(id)}, not a number from 1";
    }

    private static Iperf3Results ResultsOf(ResultsMessage message) => new()
    {
        Cpu = new Iperf3Cpu(
            Math.Min(message.CpuUtilTotal, MaxCpuPercent),
            Math.Min(message.CpuUtilUser, MaxCpuPercent),
            Math.Min(message.CpuUtilSystem, MaxCpuPercent)),
        Streams = [.. message.Streams.Deserialize(Iperf3Wire.Default.IReadOnlyListIperf3StreamResult)!.Select(Bounded)],
        ServerText = ReferenceEquals(message.ServerOutputText, WireText.Wrong) ? null : message.ServerOutputText,
        ServerJson = message.ServerOutputJson,
        Spate = message.Spate is { } report ? TestEndReport.Read(JsonMarshal.GetRawUtf8Value(report)) : null,
    };

    private static Iperf3StreamResult Bounded(Iperf3StreamResult stream) => stream with
    {
        Bytes = Math.Max(0, stream.Bytes),
        Packets = Math.Max(0, stream.Packets),
        HasNegative = stream.Bytes < 0 || stream.Packets < 0,
        OmittedPackets = Math.Max(0, stream.OmittedPackets),
    };

    private static byte[] WriteWhole(Iperf3Results results) => Iperf3Wire.Write(
        new ResultsMessage
        {
            CpuUtilTotal = results.Cpu.TotalPercent,
            CpuUtilUser = results.Cpu.UserPercent,
            CpuUtilSystem = results.Cpu.SystemPercent,
            SenderHasRetransmits = results.Sends ? 0 : -1,
            ServerOutputText = results.ServerText,
            ServerOutputJson = results.ServerJson,
            Streams = JsonSerializer.SerializeToElement(
                results.Streams, Iperf3Wire.Default.IReadOnlyListIperf3StreamResult),
            Spate = results.Spate is { } report
                ? JsonSerializer.SerializeToElement(report, SessionJson.Default.TestEndReport)
                : null,
        },
        Iperf3Wire.Default.ResultsMessage);
}
