using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>
/// The parameters on the wire: the keys of 3.12 in its order, and those of 3.21. A null field is left out; tcp and sctp
/// are only read.
/// </summary>
internal sealed class ParameterMessage
{
    public WireSwitch? Udp { get; set; }

    public WireSwitch? Tcp { get; set; }

    public WireSwitch? Sctp { get; set; }

    public long? Omit { get; set; }

    public long? ServerAffinity { get; set; }

    public long? Time { get; set; }

    public long? Num { get; set; }

    public long? Blockcount { get; set; }

    public long? Parallel { get; set; }

    public WireSwitch? Reverse { get; set; }

    public WireSwitch? Bidirectional { get; set; }

    public long? Window { get; set; }

    public long? Len { get; set; }

    public long? Bandwidth { get; set; }

    public long? Fqrate { get; set; }

    public long? PacingTimer { get; set; }

    public long? Burst { get; set; }

    [JsonPropertyName("TOS")] public long? TrafficClass { get; set; }

    public string? Title { get; set; }

    public string? ExtraData { get; set; }

    public WireSwitch? GetServerOutput { get; set; }

    [JsonPropertyName("udp_counters_64bit")] public WireSwitch? Counters64Bit { get; set; }

    public WireSwitch? RepeatingPayload { get; set; }

    public WireSwitch? DontFragment { get; set; }

    public WireSwitch? Gso { get; set; }

    public long? GsoDgSize { get; set; }

    public long? GsoBfSize { get; set; }

    public WireSwitch? Gro { get; set; }

    public long? GroBfSize { get; set; }

    public string? ClientVersion { get; set; }
}

/// <summary>The parameters of a test as JSON, written as iperf3 3.12 does, read as 3.0.7 to 3.21 wrote them.</summary>
internal static class ParameterJson
{
    /// <summary>The longest parameters (MAX_PARAMS_JSON_STRING).</summary>
    public const int MaxBytes = 8 * 1024;

    /// <summary>The most segments that iperf3 3.21 can send at once: with more its socket refuses every call.</summary>
    public const int MaxGsoSegments = 128;

    private const int PacingTimerMicroseconds = 1000;

    public static byte[] Write(Iperf3Parameters parameters)
    {
        byte[] json = Iperf3Wire.Write(MessageOf(parameters), Iperf3Wire.Default.ParameterMessage);
        return json.Length <= MaxBytes
            ? json
            : throw new Iperf3Exception(
                $"the parameters take {json.Length} bytes, more than the {MaxBytes} allowed: shorten the title or "
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
        errorCode = Iperf3Error.ReceiveParameters;
        if (json.Length > MaxBytes)
        {
            error = $"the parameters have {json.Length} bytes, more than the {MaxBytes} allowed";
            return false;
        }

        if (Iperf3Wire.Read<ParameterMessage>(json, Iperf3Wire.Default.ParameterMessage) is not { } message)
        {
            error = "the parameters are not a JSON object of an iperf3 client";
            return false;
        }

        var fields = new ParameterFields(json);
        Iperf3Parameters read = Read(message, fields);
        (errorCode, error) = (fields.ErrorCode, fields.Fault);
        if (error is null) parameters = read;
        return error is null;
    }

    private static ParameterMessage MessageOf(Iperf3Parameters parameters)
    {
        // With more segments the server of 3.21 would send nothing, so GSO messages are not asked for then.
        int length = parameters.LengthBytes;
        int segments = length > 0 ? Iperf3Parameters.MaxLengthBytes / length : 0;
        bool asksForGso = parameters.Gsro && segments is > 0 and <= MaxGsoSegments;
        return new ParameterMessage
        {
            Udp = WireSwitch.On,
            Omit = parameters.OmitSeconds,
            ServerAffinity = parameters.ServerCpu,
            Time = parameters.Seconds,
            Num = parameters.Bytes,
            Blockcount = parameters.Blocks,
            Parallel = parameters.StreamCount,
            Reverse = parameters.Reverse ? WireSwitch.On : null,
            Bidirectional = parameters.Bidirectional ? WireSwitch.On : null,
            Window = UnlessZero(parameters.WindowBytes),
            Len = UnlessZero(length),
            Bandwidth = UnlessZero(parameters.BitsPerSecond),
            Fqrate = UnlessZero(parameters.FqBitsPerSecond),
            PacingTimer = PacingTimerMicroseconds,
            Burst = UnlessZero(parameters.BurstDatagrams),
            TrafficClass = UnlessZero(parameters.TrafficClass),
            Title = parameters.Title.Length > 0 ? parameters.Title : null,
            ExtraData = parameters.ExtraData.Length > 0 ? parameters.ExtraData : null,
            GetServerOutput = OneIf(parameters.GetServerOutput),
            Counters64Bit = OneIf(parameters.Counters64Bit),
            RepeatingPayload = OneIf(parameters.RepeatingPayload),
            DontFragment = OneIf(parameters.DontFragment),
            Gso = OneIf(asksForGso),
            GsoDgSize = asksForGso ? length : null,
            GsoBfSize = asksForGso ? segments * length : null,
            Gro = OneIf(asksForGso),
            GroBfSize = asksForGso ? Iperf3Parameters.MaxLengthBytes : null,
            ClientVersion = parameters.ClientVersion.Length > 0 ? parameters.ClientVersion : null,
        };
    }

    private static long? UnlessZero(long value) => value == 0 ? null : value;

    private static WireSwitch? OneIf(bool isOn) => isOn ? WireSwitch.One : null;

    private static Iperf3Parameters Read(ParameterMessage message, ParameterFields fields)
    {
        CheckProtocol(message, fields);
        const int Other = Iperf3Error.ReceiveParameters;
        const long Most = JsonNumbers.MaxCount;
        long bytes = fields.Count("num", message.Num, 0, Most, Other) ?? 0;
        long blocks = fields.Count("blockcount", message.Blockcount, 0, Most, Other) ?? 0;

        // As in iperf3, whose default of ten seconds yields to an end by bytes or blocks.
        int seconds = bytes > 0 || blocks > 0 ? 0 : new Iperf3Parameters().Seconds;
        var parameters = new Iperf3Parameters
        {
            OmitSeconds = Integer("omit", message.Omit, 0, Iperf3Parameters.MaxOmitSeconds, Iperf3Error.Omit) ?? 0,
            ServerCpu = Integer(
                "server_affinity", message.ServerAffinity, 0, Iperf3Parameters.MaxCpu, Iperf3Error.Affinity),
            Seconds = Integer("time", message.Time, 0, Iperf3Parameters.MaxSeconds, Iperf3Error.Duration) ?? seconds,
            Bytes = bytes,
            Blocks = blocks,
            StreamCount = Integer(
                "parallel", message.Parallel, 1, Iperf3Parameters.MaxStreamCount, Iperf3Error.StreamCount) ?? 1,
            Reverse = fields.IsOn("reverse", message.Reverse),
            Bidirectional = fields.IsOn("bidirectional", message.Bidirectional),
            WindowBytes = Integer(
                "window", message.Window, 0, Iperf3Parameters.MaxWindowBytes, Iperf3Error.WindowSize) ?? 0,
            LengthBytes = Integer(
                "len",
                message.Len,
                Iperf3Parameters.MinLengthBytes,
                Iperf3Parameters.MaxLengthBytes,
                Iperf3Error.UdpBlockSize) ?? 0,
            BitsPerSecond = fields.Count("bandwidth", message.Bandwidth, 0, Most, Other) ?? 0,
            FqBitsPerSecond = fields.Count("fqrate", message.Fqrate, 0, Most, Other) ?? 0,
            BurstDatagrams =
                Integer("burst", message.Burst, 0, Iperf3Parameters.MaxBurstDatagrams, Iperf3Error.Burst) ?? 0,
            TrafficClass = Integer("TOS", message.TrafficClass, 0, byte.MaxValue, Iperf3Error.TrafficClass) ?? 0,
            Title = fields.Text("title", message.Title),
            ExtraData = fields.Text("extra_data", message.ExtraData),
            GetServerOutput = fields.IsOn("get_server_output", message.GetServerOutput),
            Counters64Bit = fields.IsOn("udp_counters_64bit", message.Counters64Bit),
            RepeatingPayload = fields.IsOn("repeating_payload", message.RepeatingPayload),
            DontFragment = fields.IsOn("dont_fragment", message.DontFragment),
            Gsro = fields.IsOn("gso", message.Gso),
            ClientVersion = fields.Text("client_version", message.ClientVersion),
        };
        if (parameters is { Reverse: true, Bidirectional: true })
        {
            fields.Fail(Iperf3Error.ReverseAndBidirectional, "both reverse and bidirectional are requested");
        }

        return parameters;

        int? Integer(string name, long? value, int min, int max, int errorCode) =>
            (int?)fields.Count(name, value, min, max, errorCode);
    }

    private static void CheckProtocol(ParameterMessage message, ParameterFields fields)
    {
        if (fields.IsOn("udp", message.Udp)) return;

        string asked = fields.IsOn("tcp", message.Tcp) ? "TCP is requested" : "no protocol is requested";
        if (fields.IsOn("sctp", message.Sctp)) asked = "SCTP is requested";
        fields.Fail(Iperf3Error.Protocol, $"{asked}, but this server supports only UDP");
    }

    /// <summary>Checks the fields of a client's parameters one by one, and remembers the first fault.</summary>
    private sealed class ParameterFields(ReadOnlyMemory<byte> json)
    {
        public string? Fault { get; private set; }

        public int ErrorCode { get; private set; }

        /// <summary>The count if it is within its range; null for a missing or a wrong one.</summary>
        public long? Count(string name, long? value, long min, long max, int errorCode)
        {
            if (value is null || (value >= min && value <= max)) return value;

            Fail(errorCode, name, $"a number from {min} to {max}");
            return null;
        }

        public bool IsOn(string name, WireSwitch? value)
        {
            if (value == WireSwitch.Wrong) Fail(Iperf3Error.ReceiveParameters, name, "true or false");

            return value == WireSwitch.On;
        }

        public string Text(string name, string? value)
        {
            if (!ReferenceEquals(value, WireText.Wrong)) return value ?? "";

            Fail(Iperf3Error.ReceiveParameters, name, "text");
            return "";
        }

        public void Fail(int errorCode, string fault)
        {
            if (Fault is null) (ErrorCode, Fault) = (errorCode, fault);
        }

        private void Fail(int errorCode, string name, string expected)
        {
            if (Fault is null) Fail(errorCode, $"{name} is {Iperf3Wire.Quote(json, name)}, not {expected}");
        }
    }
}
