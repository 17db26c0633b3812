using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text.Encodings.Web;
using System.Text.Json;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>What a client asks for in a UDP test. The ranges are those that iperf3 keeps (iperf_api.c).</summary>
internal sealed record Iperf3Parameters
{
    /// <summary>The rate that iperf3 gives a UDP stream where none is named: 1 Mibit/s (UDP_RATE).</summary>
    public const long DefaultBitsPerSecond = 1_048_576;

    /// <summary>The length of a datagram where neither a length nor the path's MSS is known.</summary>
    public const int DefaultLengthBytes = 1460;

    /// <summary>The shortest datagram: the header with a counter of 64 bits (MIN_UDP_BLOCKSIZE).</summary>
    public const int MinLengthBytes = 16;

    /// <summary>The largest payload of UDP over IPv4.</summary>
    public const int MaxLengthBytes = 65_507;

    /// <summary>The most streams of a direction (MAX_STREAMS).</summary>
    public const int MaxStreamCount = 128;

    /// <summary>The longest test (MAX_TIME).</summary>
    public const int MaxSeconds = 86_400;

    /// <summary>The longest time that is left out at the beginning (MAX_OMIT_TIME).</summary>
    public const int MaxOmitSeconds = 600;

    /// <summary>The largest burst (MAX_BURST).</summary>
    public const int MaxBurstDatagrams = 1000;

    /// <summary>The largest socket buffer (MAX_TCP_BUFFER).</summary>
    public const int MaxWindowBytes = 512 * 1024 * 1024;

    public const int MaxCpu = 1024;

    public bool Reverse { get; init; }

    public bool Bidirectional { get; init; }

    /// <summary>Streams in each direction, 1 to <see cref="MaxStreamCount"/>.</summary>
    public int StreamCount { get; init; } = 1;

    /// <summary>Payload bytes of every datagram; 0 for the MSS of the control connection.</summary>
    public int LengthBytes { get; init; }

    /// <summary>Payload bits a second of each stream; 0 for no limit.</summary>
    public long BitsPerSecond { get; init; } = DefaultBitsPerSecond;

    /// <summary>Datagrams that leave at once; 0 for what the pacing finds best.</summary>
    public int BurstDatagrams { get; init; }

    /// <summary>The time of the test without <see cref="OmitSeconds"/>; 0 for no end by time.</summary>
    public int Seconds { get; init; } = 10;

    public int OmitSeconds { get; init; }

    /// <summary>Payload bytes of all streams after which the test ends; 0 for no such end.</summary>
    public long Bytes { get; init; }

    /// <summary>Datagrams of all streams after which the test ends; 0 for no such end.</summary>
    public long Blocks { get; init; }

    /// <summary>The socket buffers at both ends; 0 for those of the ends.</summary>
    public int WindowBytes { get; init; }

    public bool Counters64Bit { get; init; }

    /// <summary>The server sends what it has printed with its results.</summary>
    public bool GetServerOutput { get; init; }

    /// <summary>0 to 255.</summary>
    public int TrafficClass { get; init; }

    public bool DontFragment { get; init; }

    /// <summary>Payloads hold digits instead of random bytes.</summary>
    public bool RepeatingPayload { get; init; }

    public int? ServerCpu { get; init; }

    /// <summary>Asks for GSO and coalesced buffers (--gsro, since 3.21), which this program uses anyway.</summary>
    public bool Gsro { get; init; }

    /// <summary>The rate that the socket's own pacing keeps; 0 for none.</summary>
    public long FqBitsPerSecond { get; init; }

    public string Title { get; init; } = "";

    public string ExtraData { get; init; } = "";

    public string ClientVersion { get; init; } = "";

    public int AllStreamCount => Bidirectional ? 2 * StreamCount : StreamCount;

    internal TransportOptions TransportOf(TransportOptions own) => own with
    {
        BufferBytes = WindowBytes > 0 ? WindowBytes : own.BufferBytes,
        TrafficClass = TrafficClass > 0 ? TrafficClass : own.TrafficClass,
        DontFragment = DontFragment || own.DontFragment,
    };

    internal void Validate()
    {
        ThrowUnlessWithin(StreamCount, 1, MaxStreamCount);
        if (LengthBytes != 0) ThrowUnlessWithin(LengthBytes, MinLengthBytes, MaxLengthBytes);
        ThrowUnlessWithin(BitsPerSecond, 0, long.MaxValue);
        ThrowUnlessWithin(FqBitsPerSecond, 0, long.MaxValue);
        ThrowUnlessWithin(BurstDatagrams, 0, MaxBurstDatagrams);
        ThrowUnlessWithin(Seconds, 0, MaxSeconds);
        ThrowUnlessWithin(OmitSeconds, 0, MaxOmitSeconds);
        ThrowUnlessWithin(Bytes, 0, long.MaxValue);
        ThrowUnlessWithin(Blocks, 0, long.MaxValue);
        ThrowUnlessWithin(WindowBytes, 0, MaxWindowBytes);
        ThrowUnlessWithin(TrafficClass, 0, byte.MaxValue);
        ThrowUnlessWithin(ServerCpu ?? 0, 0, MaxCpu, nameof(ServerCpu));
    }

    /// <summary>Whether an end sends on a stream, by its place in the order of their beginning.</summary>
    public bool Sends(bool isClient, int index) =>
        (Bidirectional ? index < StreamCount : !Reverse) == isClient;

    private static void ThrowUnlessWithin(
        long value, long least, long most, [CallerArgumentExpression(nameof(value))] string? name = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, least, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, most, name);
    }
}

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

/// <summary>Reads the fields of a client's parameters one by one, and remembers the first fault.</summary>
internal sealed class ParameterFields(JsonElement root)
{
    private const int MaxQuotedLength = 40;

    public string? Fault { get; private set; }

    public int ErrorCode { get; private set; }

    public bool Has(string name) => root.TryGetProperty(name, out _);

    public long ReadCount(string name, long whenAbsent, long min, long max, int errorCode)
    {
        if (!root.TryGetProperty(name, out JsonElement element)) return whenAbsent;

        if (JsonNumbers.TryReadCount(element, out long value) && value >= min && value <= max) return value;

        Fail(errorCode, name, element, $"a number from {min} to {max}");
        return whenAbsent;
    }

    public int ReadInteger(string name, int whenAbsent, int min, int max, int errorCode) =>
        (int)ReadCount(name, whenAbsent, min, max, errorCode);

    /// <summary>A switch, also written as a number before 3.18; false where the client names none.</summary>
    public bool ReadSwitch(string name)
    {
        if (!root.TryGetProperty(name, out JsonElement element)) return false;
        if (element.ValueKind is JsonValueKind.True or JsonValueKind.False) return element.GetBoolean();
        if (JsonNumbers.TryReadFinite(element, out double number)) return number is not 0;

        Fail(Iperf3Error.ReceiveParameters, name, element, "true or false");
        return false;
    }

    public string ReadText(string name)
    {
        if (!root.TryGetProperty(name, out JsonElement element)) return "";
        if (element.ValueKind == JsonValueKind.String) return element.GetString() ?? "";

        Fail(Iperf3Error.ReceiveParameters, name, element, "text");
        return "";
    }

    public void Fail(int errorCode, string fault)
    {
        if (Fault is null) (ErrorCode, Fault) = (errorCode, fault);
    }

    private void Fail(int errorCode, string name, JsonElement element, string expected) =>
        Fail(errorCode, $"{name} is {PrintableText.Clean(element.GetRawText(), MaxQuotedLength)}, not {expected}");
}
