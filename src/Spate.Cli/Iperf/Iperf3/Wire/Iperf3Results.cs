using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using System.Text.Json;
using Spate.Measurement.Reports;
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

/// <summary>What an end counted of one stream, within <see cref="JsonNumbers.MaxCount"/> both ways.</summary>
internal sealed record Iperf3StreamResult
{
    public required int Id { get; init; }

    /// <summary>Payload bytes without what was omitted.</summary>
    public long Bytes { get; init; }

    public double Jitter { get; init; }

    /// <summary>Datagrams counted as lost, omitted ones included.</summary>
    public long Errors { get; init; }

    public long OmittedErrors { get; init; }

    /// <summary>The sender's count or the receiver's highest counter, with what is omitted.</summary>
    public long Packets { get; init; }

    public long OmittedPackets { get; init; }

    /// <summary>Datagrams out of order, without what was omitted. The protocol does not carry it.</summary>
    public long OutOfOrder { get; init; }

    /// <summary>Whether the other end named bytes or datagrams below zero, which are 0 here.</summary>
    public bool HasNegative { get; init; }

    public double StartSeconds { get; init; }

    public double EndSeconds { get; init; }
}

/// <summary>The CPU time of a process during a test, in percent of one CPU.</summary>
internal sealed record Iperf3Cpu(double TotalPercent, double UserPercent, double SystemPercent);

/// <summary>The results of an end as JSON. What this program adds stands under a key that iperf3 ignores.</summary>
internal static class ResultsJson
{
    /// <summary>The longest results. iperf3 has no limit for them.</summary>
    public const int MaxBytes = 1 << 20;

    private const string OwnKey = "spate";
    private const int MaxQuotedLength = 40;
    private const double MaxCpuPercent = 1e6;
    private const double MaxSeconds = 1e7;

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
            error = $"the results have {json.Length} bytes, at most {MaxBytes} are allowed";
            return false;
        }

        try
        {
            using var document = JsonDocument.Parse(
                json, new JsonDocumentOptions { MaxDepth = ParameterJson.MaxDepth });
            if (document.RootElement.ValueKind == JsonValueKind.Object)
            {
                results = Read(document.RootElement, out error);
                return results is not null;
            }
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            // Not JSON, too deep, or with text that is not Unicode.
        }

        error = "the results are no JSON object of an iperf3";
        return false;
    }

    private static Iperf3Results? Read(JsonElement root, out string? error)
    {
        const int MaxStreams = 2 * Iperf3Parameters.MaxStreamCount;
        if (!root.TryGetProperty("streams", out JsonElement list) || list.ValueKind != JsonValueKind.Array
            || list.GetArrayLength() > MaxStreams)
        {
            error = $"the results have no list of up to {MaxStreams} streams";
            return null;
        }

        var streams = new List<Iperf3StreamResult>();
        foreach (JsonElement element in list.EnumerateArray())
        {
            if (!TryReadStream(element, out Iperf3StreamResult? stream, out error)) return null;

            streams.Add(stream);
        }

        error = null;
        return new Iperf3Results
        {
            Cpu = new Iperf3Cpu(
                ReadBounded(root, "cpu_util_total", MaxCpuPercent),
                ReadBounded(root, "cpu_util_user", MaxCpuPercent),
                ReadBounded(root, "cpu_util_system", MaxCpuPercent)),
            Streams = streams,
            ServerText = root.TryGetProperty("server_output_text", out JsonElement text)
                && text.ValueKind == JsonValueKind.String ? text.GetString() : null,
            ServerJson = root.TryGetProperty("server_output_json", out JsonElement output)
                && output.ValueKind == JsonValueKind.Object ? output.GetRawText() : null,
            Spate = OwnReportJson.Read(root, OwnKey),
        };
    }

    private static bool TryReadStream(
        JsonElement element,
        [NotNullWhen(true)] out Iperf3StreamResult? stream,
        [NotNullWhen(false)] out string? error)
    {
        (stream, error) = (null, null);
        if (element.ValueKind != JsonValueKind.Object)
        {
            error = $"a stream of the results is {Quote(element)}, not an object";
            return false;
        }

        if (!element.TryGetProperty("id", out JsonElement id) || id.ValueKind != JsonValueKind.Number
            || !JsonNumbers.TryReadCount(id, out long number) || number is < 1 or > int.MaxValue)
        {
            string found = id.ValueKind == JsonValueKind.Undefined ? "missing" : Quote(id);
            error = $"the id of a stream of the results is {found}, not a number from 1";
            return false;
        }

        (long bytes, long packets) = (ReadCount(element, "bytes"), ReadCount(element, "packets"));
        stream = new Iperf3StreamResult
        {
            Id = (int)number,
            Bytes = Math.Max(0, bytes),
            Jitter = ReadBounded(element, "jitter", MaxSeconds),
            Errors = ReadCount(element, "errors"),
            OmittedErrors = ReadCount(element, "omitted_errors"),
            Packets = Math.Max(0, packets),
            HasNegative = bytes < 0 || packets < 0,
            OmittedPackets = Math.Max(0, ReadCount(element, "omitted_packets")),
            StartSeconds = ReadBounded(element, "start_time", MaxSeconds),
            EndSeconds = ReadBounded(element, "end_time", MaxSeconds),
        };
        return true;
    }

    // A version may leave a figure out, and writes null for one that is no number. Neither is worth losing the rest.
    private static long ReadCount(JsonElement parent, string name) =>
        parent.TryGetProperty(name, out JsonElement element) && JsonNumbers.TryReadSigned(element, out long value)
            ? value
            : 0;

    private static double ReadBounded(JsonElement parent, string name, double max) =>
        parent.TryGetProperty(name, out JsonElement element) && JsonNumbers.TryReadFinite(element, out double value)
            ? Math.Clamp(value, 0, max)
            : 0;

    private static string Quote(JsonElement element) => PrintableText.Clean(element.GetRawText(), MaxQuotedLength);

    private static byte[] WriteWhole(Iperf3Results results)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(buffer, ParameterJson.WriterOptions))
        {
            json.WriteStartObject();
            json.WriteNumber("cpu_util_total", results.Cpu.TotalPercent);
            json.WriteNumber("cpu_util_user", results.Cpu.UserPercent);
            json.WriteNumber("cpu_util_system", results.Cpu.SystemPercent);
            json.WriteNumber("sender_has_retransmits", results.Sends ? 0 : -1);
            if (results.ServerText is { } text) json.WriteString("server_output_text", text);
            WriteRaw(json, "server_output_json", results.ServerJson);
            json.WriteStartArray("streams");
            foreach (Iperf3StreamResult stream in results.Streams) WriteStream(json, stream);
            json.WriteEndArray();
            if (results.Spate is { } report)
            {
                json.WritePropertyName(OwnKey);
                JsonSerializer.Serialize(json, report, SessionJson.Default.TestEndReport);
            }

            json.WriteEndObject();
        }

        return buffer.WrittenSpan.ToArray();
    }

    private static void WriteRaw(Utf8JsonWriter json, string name, string? value)
    {
        if (value is null) return;

        json.WritePropertyName(name);
        json.WriteRawValue(value);
    }

    private static void WriteStream(Utf8JsonWriter json, Iperf3StreamResult stream)
    {
        json.WriteStartObject();
        json.WriteNumber("id", stream.Id);
        json.WriteNumber("bytes", stream.Bytes);
        json.WriteNumber("retransmits", -1);
        json.WriteNumber("jitter", stream.Jitter);
        json.WriteNumber("errors", stream.Errors);
        json.WriteNumber("omitted_errors", stream.OmittedErrors);
        json.WriteNumber("packets", stream.Packets);
        json.WriteNumber("omitted_packets", stream.OmittedPackets);
        json.WriteNumber("start_time", stream.StartSeconds);
        json.WriteNumber("end_time", stream.EndSeconds);
        json.WriteEndObject();
    }
}

/// <summary>Reads what this program adds to its results, as anyone may have written it.</summary>
internal static class OwnReportJson
{
    /// <summary>The report under a key; null where there is none that this program would have written.</summary>
    public static TestEndReport? Read(JsonElement root, string key)
    {
        if (!root.TryGetProperty(key, out JsonElement element)) return null;

        try
        {
            ReadOnlySpan<byte> json = JsonMarshal.GetRawUtf8Value(element);
            if (ReportProbe.HasTooManyObjects(json) || !HasOnlyFiniteNumbers(json)) return null;

            TestEndReport? report = JsonSerializer.Deserialize(json, SessionJson.Default.TestEndReport);
            return report is { IsWhole: true } ? report : null;
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            // Of another version, or a stranger's: the results beside it are read all the same.
            return null;
        }
    }

    // A reader takes 1e400 for an endless number, which no writer of JSON can write.
    private static bool HasOnlyFiniteNumbers(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json);
        while (reader.Read())
        {
            if (reader.TokenType != JsonTokenType.Number) continue;
            if (!reader.TryGetDouble(out double value) || !double.IsFinite(value)) return false;
        }

        return true;
    }
}
