using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>The parameters of a test as JSON, written as iperf3 3.12 does, read as 3.0.7 to 3.21 wrote them.</summary>
internal static class ParameterJson
{
    /// <summary>The longest parameters (MAX_PARAMS_JSON_STRING).</summary>
    public const int MaxBytes = 8 * 1024;

    /// <summary>The most segments that iperf3 3.21 can send at once: with more its socket refuses every call.</summary>
    public const int MaxGsoSegments = 128;

    // What nobody nests deeper than: the parameters are flat, the results with a server's output have 8 levels.
    internal const int MaxDepth = 16;

    private const int PacingTimerMicroseconds = 1000;

    internal static readonly JsonWriterOptions WriterOptions = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public static byte[] Write(Iperf3Parameters parameters)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(buffer, WriterOptions))
        {
            json.WriteStartObject();
            WriteTest(json, parameters);
            WriteOptions(json, parameters);
            WriteOffloads(json, parameters);
            if (parameters.ClientVersion.Length > 0) json.WriteString("client_version", parameters.ClientVersion);
            json.WriteEndObject();
        }

        if (buffer.WrittenCount <= MaxBytes) return buffer.WrittenSpan.ToArray();

        throw new Iperf3Exception(
            $"the parameters take {buffer.WrittenCount} bytes, at most {MaxBytes} are allowed: shorten the title or "
            + "the extra data");
    }

    /// <summary>Reads what any client may have sent, at most <see cref="MaxBytes"/>.</summary>
    /// <param name="error">One line about the fault. It may hold text of the client, made printable.</param>
    public static bool TryRead(
        ReadOnlyMemory<byte> json,
        [NotNullWhen(true)] out Iperf3Parameters? parameters,
        out int errorCode,
        [NotNullWhen(false)] out string? error)
    {
        parameters = null;
        (errorCode, error) = (Iperf3Error.ReceiveParameters, null);
        if (json.Length > MaxBytes)
        {
            error = $"the parameters have {json.Length} bytes, at most {MaxBytes} are allowed";
            return false;
        }

        try
        {
            using var document = JsonDocument.Parse(json, new JsonDocumentOptions { MaxDepth = MaxDepth });
            if (document.RootElement.ValueKind == JsonValueKind.Object)
            {
                var fields = new ParameterFields(document.RootElement);
                Iperf3Parameters read = Read(fields);
                (errorCode, error) = (fields.ErrorCode, fields.Fault);
                if (error is null) parameters = read;
                return error is null;
            }
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            // Not JSON, too deep, or with text that is not Unicode.
        }

        error = "the parameters are no JSON object of an iperf3 client";
        return false;
    }

    private static Iperf3Parameters Read(ParameterFields fields)
    {
        CheckProtocol(fields);
        const int Other = Iperf3Error.ReceiveParameters;
        long bytes = fields.ReadCount("num", 0, 0, JsonNumbers.MaxCount, Other);
        long blocks = fields.ReadCount("blockcount", 0, 0, JsonNumbers.MaxCount, Other);

        // As in iperf3, whose default of ten seconds yields to an end by bytes or blocks.
        int seconds = bytes > 0 || blocks > 0 ? 0 : new Iperf3Parameters().Seconds;
        var parameters = new Iperf3Parameters
        {
            OmitSeconds = fields.ReadInteger("omit", 0, 0, Iperf3Parameters.MaxOmitSeconds, Iperf3Error.Omit),
            ServerCpu = fields.Has("server_affinity")
                ? fields.ReadInteger("server_affinity", 0, 0, Iperf3Parameters.MaxCpu, Iperf3Error.Affinity)
                : null,
            Seconds = fields.ReadInteger("time", seconds, 0, Iperf3Parameters.MaxSeconds, Iperf3Error.Duration),
            Bytes = bytes,
            Blocks = blocks,
            StreamCount =
                fields.ReadInteger("parallel", 1, 1, Iperf3Parameters.MaxStreamCount, Iperf3Error.StreamCount),
            Reverse = fields.ReadSwitch("reverse"),
            Bidirectional = fields.ReadSwitch("bidirectional"),
            WindowBytes = fields.ReadInteger("window", 0, 0, Iperf3Parameters.MaxWindowBytes, Iperf3Error.WindowSize),
            LengthBytes = fields.ReadInteger(
                "len", 0, Iperf3Parameters.MinLengthBytes, Iperf3Parameters.MaxLengthBytes, Iperf3Error.UdpBlockSize),
            BitsPerSecond = fields.ReadCount("bandwidth", 0, 0, JsonNumbers.MaxCount, Other),
            FqBitsPerSecond = fields.ReadCount("fqrate", 0, 0, JsonNumbers.MaxCount, Other),
            BurstDatagrams = fields.ReadInteger("burst", 0, 0, Iperf3Parameters.MaxBurstDatagrams, Iperf3Error.Burst),
            TrafficClass = fields.ReadInteger("TOS", 0, 0, byte.MaxValue, Iperf3Error.TrafficClass),
            Title = fields.ReadText("title"),
            ExtraData = fields.ReadText("extra_data"),
            GetServerOutput = fields.ReadSwitch("get_server_output"),
            Counters64Bit = fields.ReadSwitch("udp_counters_64bit"),
            RepeatingPayload = fields.ReadSwitch("repeating_payload"),
            DontFragment = fields.ReadSwitch("dont_fragment"),
            Gsro = fields.ReadSwitch("gso"),
            ClientVersion = fields.ReadText("client_version"),
        };
        if (parameters is { Reverse: true, Bidirectional: true })
        {
            fields.Fail(Iperf3Error.ReverseAndBidirectional, "both reverse and bidirectional are asked for");
        }

        return parameters;
    }

    private static void CheckProtocol(ParameterFields fields)
    {
        if (fields.ReadSwitch("udp")) return;

        string asked = fields.ReadSwitch("tcp") ? "TCP is asked for" : "no protocol is asked for";
        if (fields.ReadSwitch("sctp")) asked = "SCTP is asked for";
        fields.Fail(Iperf3Error.Protocol, $"{asked}, and this server speaks UDP only");
    }

    private static void WriteTest(Utf8JsonWriter json, Iperf3Parameters parameters)
    {
        json.WriteBoolean("udp", value: true);
        json.WriteNumber("omit", parameters.OmitSeconds);
        if (parameters.ServerCpu is { } cpu) json.WriteNumber("server_affinity", cpu);
        json.WriteNumber("time", parameters.Seconds);
        json.WriteNumber("num", parameters.Bytes);
        json.WriteNumber("blockcount", parameters.Blocks);
        json.WriteNumber("parallel", parameters.StreamCount);
        if (parameters.Reverse) json.WriteBoolean("reverse", value: true);
        if (parameters.Bidirectional) json.WriteBoolean("bidirectional", value: true);
        WriteUnlessZero(json, "window", parameters.WindowBytes);
        WriteUnlessZero(json, "len", parameters.LengthBytes);
        WriteUnlessZero(json, "bandwidth", parameters.BitsPerSecond);
    }

    private static void WriteOptions(Utf8JsonWriter json, Iperf3Parameters parameters)
    {
        WriteUnlessZero(json, "fqrate", parameters.FqBitsPerSecond);
        json.WriteNumber("pacing_timer", PacingTimerMicroseconds);
        WriteUnlessZero(json, "burst", parameters.BurstDatagrams);
        WriteUnlessZero(json, "TOS", parameters.TrafficClass);
        if (parameters.Title.Length > 0) json.WriteString("title", parameters.Title);
        if (parameters.ExtraData.Length > 0) json.WriteString("extra_data", parameters.ExtraData);
        WriteUnlessZero(json, "get_server_output", parameters.GetServerOutput ? 1 : 0);
        WriteUnlessZero(json, "udp_counters_64bit", parameters.Counters64Bit ? 1 : 0);
        WriteUnlessZero(json, "repeating_payload", parameters.RepeatingPayload ? 1 : 0);
        WriteUnlessZero(json, "dont_fragment", parameters.DontFragment ? 1 : 0);
    }

    // The keys of 3.21. With more segments its server would send nothing, so GSO messages are not asked for then.
    private static void WriteOffloads(Utf8JsonWriter json, Iperf3Parameters parameters)
    {
        int length = parameters.LengthBytes;
        if (!parameters.Gsro || length == 0) return;

        int segments = Iperf3Parameters.MaxLengthBytes / length;
        if (segments > MaxGsoSegments) return;

        json.WriteNumber("gso", 1);
        json.WriteNumber("gso_dg_size", length);
        json.WriteNumber("gso_bf_size", segments * length);
        json.WriteNumber("gro", 1);
        json.WriteNumber("gro_bf_size", Iperf3Parameters.MaxLengthBytes);
    }

    private static void WriteUnlessZero(Utf8JsonWriter json, string name, long value)
    {
        if (value != 0) json.WriteNumber(name, value);
    }
}
