using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>The JSON of a test: iperf3's document with our figures in <c>spate</c>, or a line for each event.</summary>
internal sealed class Iperf3Json(Iperf3RunOptions settings, Action<string> write) : IIperf3Observer
{
    // A client of a server may ask for a test without end. What it keeps for the document must have one.
    private const int MaxKeptCharacters = 64 * 1024 * 1024;

    // The results that carry it must stay below 1 MiB.
    private const int MaxOutputCharacters = 768 * 1024;

    private readonly List<string> _intervals = [];
    private readonly bool _isStream = settings.Output.IsJsonStream;
    private Iperf3Test? _test;
    private JsonObject _start = Iperf3JsonParts.Start();
    private JsonObject? _end;
    private Iperf3Outcome? _outcome;
    private string? _error;
    private long _keptCharacters;
    private bool _isWritten;

    public string? OutputText => null;

    public string? OutputJson
    {
        get
        {
            string document = Document(isIndented: false, hasIntervals: true);
            return document.Length <= MaxOutputCharacters ? document : Document(isIndented: false, hasIntervals: false);
        }
    }

    private bool KeepsIntervals => !_isStream || settings.Output.HasFullOutput;

    private Iperf3Test Running => _test ?? throw new InvalidOperationException("The test has not begun.");

    public void Start(Iperf3Test test)
    {
        _test = test;
        TimeSpan interval = settings.Client?.Interval ?? settings.Server?.Interval ?? TimeSpan.Zero;
        _start = Iperf3JsonParts.Start(test, settings.Host, interval);
        if (_isStream) WriteEvent("start", _start.ToJsonString());
    }

    public void Report(Iperf3Interval interval)
    {
        string text = Iperf3JsonParts.Interval(Running, interval).ToJsonString();
        if (_isStream) WriteEvent("interval", text);

        if (!KeepsIntervals || _keptCharacters + text.Length > MaxKeptCharacters) return;

        _keptCharacters += text.Length;
        _intervals.Add(text);
    }

    public void Finish(Iperf3Outcome outcome)
    {
        _outcome = outcome;
        _end = Iperf3JsonParts.End(Running, outcome);
        if (_isStream) WriteEndEvents(outcome);

        WriteDocument();
    }

    public void Fail(string message)
    {
        if (_isWritten) return;

        _error = message;
        if (_isStream) WriteEvent("error", Write(isIndented: false, writer => writer.WriteStringValue(message)));

        WriteDocument();
    }

    private static string Write(bool isIndented, Action<Utf8JsonWriter> write)
    {
        using var bytes = new MemoryStream();
        var options = new JsonWriterOptions
        {
            Indented = isIndented,
            IndentCharacter = '\t',
            IndentSize = 1,
            NewLine = "\n",
        };
        using (var writer = new Utf8JsonWriter(bytes, options)) write(writer);

        return Encoding.UTF8.GetString(bytes.GetBuffer(), 0, (int)bytes.Length);
    }

    private void WriteEvent(string name, string data) => write($$"""{"event":"{{name}}","data":{{data}}}""");

    private void WriteEndEvents(Iperf3Outcome outcome)
    {
        if (TryWriteServerJson(outcome) is { } json) WriteEvent("server_output_json", json);
        else if ((outcome.ServerText ?? outcome.ServerJson) is { } text)
        {
            WriteEvent("server_output_text", Write(isIndented: false, writer => writer.WriteStringValue(text)));
        }

        WriteEvent("end", Write(isIndented: false, writer =>
        {
            writer.WriteStartObject();
            foreach ((string name, JsonNode? part) in _end!)
            {
                writer.WritePropertyName(name);
                part!.WriteTo(writer);
            }

            WriteSpate(writer, outcome);
            writer.WriteEndObject();
        }));
    }

    private void WriteDocument()
    {
        if (_isWritten) return;

        _isWritten = true;
        if (KeepsIntervals) write(Document(isIndented: true, hasIntervals: true));
    }

    private string Document(bool isIndented, bool hasIntervals) => Write(isIndented, writer =>
    {
        writer.WriteStartObject();
        writer.WritePropertyName("start");
        _start.WriteTo(writer);
        writer.WriteStartArray("intervals");
        foreach (string interval in hasIntervals ? _intervals : [])
        {
            JsonNode.Parse(interval)!.WriteTo(writer);
        }

        writer.WriteEndArray();
        writer.WritePropertyName("end");
        (_end ?? []).WriteTo(writer);
        if (_outcome is { } outcome)
        {
            WriteServerOutput(writer, outcome);
            WriteSpate(writer, outcome);
        }

        if (_test?.Parameters.Title is { Length: > 0 } title) writer.WriteString("title", title);
        if (_test?.Parameters.ExtraData is { Length: > 0 } extra) writer.WriteString("extra_data", extra);
        if (_error is not null) writer.WriteString("error", _error);

        writer.WriteEndObject();
    });

    private static void WriteSpate(Utf8JsonWriter writer, Iperf3Outcome outcome)
    {
        writer.WritePropertyName("spate");
        Iperf3OutcomeJson.ToElement(outcome, ToolVersion.Text).WriteTo(writer);
    }

    private static void WriteServerOutput(Utf8JsonWriter writer, Iperf3Outcome outcome)
    {
        if (TryWriteServerJson(outcome) is { } json)
        {
            using var document = JsonDocument.Parse(json);
            writer.WritePropertyName("server_output_json");
            document.WriteTo(writer);
        }
        else if ((outcome.ServerText ?? outcome.ServerJson) is { } text)
        {
            writer.WriteString("server_output_text", text);
        }
    }

    // A stranger wrote it: where it is no JSON, it is shown as text.
    private static string? TryWriteServerJson(Iperf3Outcome outcome)
    {
        if (outcome.ServerJson is null) return null;

        try
        {
            using var document = JsonDocument.Parse(outcome.ServerJson);
            return Write(isIndented: false, document.WriteTo);
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException or ArgumentException)
        {
            return null;
        }
    }
}

/// <summary>The parts of iperf3's JSON document: names and types of 3.12, with what 3.21 has added.</summary>
internal static class Iperf3JsonParts
{
    private const int BitsPerByte = 8;

    /// <summary>The start of a test that has not begun: what is known of this end.</summary>
    public static JsonObject Start() => new()
    {
        ["connected"] = new JsonArray(),
        ["version"] = ToolVersion.Line,
        ["system_info"] = SystemText.Line,
    };

    public static JsonObject Start(Iperf3Test test, string host, TimeSpan interval)
    {
        Iperf3Parameters parameters = test.Parameters;
        JsonObject start = Start();
        start["connected"] = new JsonArray([.. test.Streams.Select(Connected)]);
        start["timestamp"] = new JsonObject
        {
            ["time"] = test.StartedAt.UtcDateTime.ToString("R", CultureInfo.InvariantCulture),
            ["timesecs"] = test.StartedAt.ToUnixTimeSeconds(),
        };
        start[test.IsClient ? "connecting_to" : "accepted_connection"] = new JsonObject
        {
            ["host"] = test.IsClient ? host : test.Remote.Address.ToString(),
            ["port"] = test.Remote.Port,
        };
        start["cookie"] = test.Cookie;
        start["target_bitrate"] = parameters.BitsPerSecond;
        start["fq_rate"] = parameters.FqBitsPerSecond;
        start["sock_bufsize"] = parameters.WindowBytes;
        start["sndbuf_actual"] = test.SendBufferBytes;
        start["rcvbuf_actual"] = test.ReceiveBufferBytes;
        start["test_start"] = TestStart(parameters, interval);
        return start;
    }

    public static JsonObject Interval(Iperf3Test test, Iperf3Interval interval)
    {
        var streams = new JsonArray();
        for (int place = 0; place < test.Streams.Count; place++)
        {
            Iperf3Stream stream = test.Streams[place];
            JsonObject row = IntervalRow(interval, interval.Streams[place], stream.Sends);
            row.Insert(0, "socket", Iperf3SocketNumber.Of(stream));
            streams.Add((JsonNode)row);
        }

        var part = new JsonObject { ["streams"] = streams };
        foreach ((string suffix, bool sends) in Groups(test))
        {
            Iperf3Counts sum = Iperf3Sum.Of(interval, Iperf3Sum.Places(test, sends));
            part["sum" + suffix] = IntervalRow(interval, sum, sends);
        }

        return part;
    }

    public static JsonObject End(Iperf3Test test, Iperf3Outcome outcome)
    {
        var streams = new JsonArray();
        for (int place = 0; place < test.Streams.Count; place++)
        {
            Iperf3Stream stream = test.Streams[place];
            Iperf3StreamOutcome counts = outcome.Streams[place];
            JsonObject row = EndRow(counts.SentSeconds, counts, stream.Sends);
            row.Insert(0, "socket", Iperf3SocketNumber.Of(stream));
            row.Insert(row.IndexOf("sender"), "out_of_order", counts.Received.OutOfOrder);
            streams.Add((JsonNode)new JsonObject { ["udp"] = row });
        }

        var end = new JsonObject { ["streams"] = streams };
        foreach ((string suffix, bool sends) in Groups(test))
        {
            Iperf3StreamOutcome sum = Iperf3Sum.Of(outcome, Iperf3Sum.Places(test, sends));
            var sent = new Iperf3Counts { Bytes = sum.Sent.Bytes, Packets = sum.Sent.Packets };
            end["sum" + suffix] = EndRow(sum.ReceivedSeconds, sum, sends);
            end["sum_sent" + suffix] = Row(sum.SentSeconds, sent, isSender: true);
            end["sum_received" + suffix] = Row(sum.ReceivedSeconds, sum.Received, isSender: false);
        }

        end["cpu_utilization_percent"] = new JsonObject
        {
            ["host_total"] = outcome.LocalCpu.TotalPercent,
            ["host_user"] = outcome.LocalCpu.UserPercent,
            ["host_system"] = outcome.LocalCpu.SystemPercent,
            ["remote_total"] = outcome.RemoteCpu.TotalPercent,
            ["remote_user"] = outcome.RemoteCpu.UserPercent,
            ["remote_system"] = outcome.RemoteCpu.SystemPercent,
        };
        return end;
    }

    private static JsonObject Connected(Iperf3Stream stream) => new()
    {
        ["socket"] = Iperf3SocketNumber.Of(stream),
        ["local_host"] = stream.Local.Address.ToString(),
        ["local_port"] = stream.Local.Port,
        ["remote_host"] = stream.Remote.Address.ToString(),
        ["remote_port"] = stream.Remote.Port,
    };

    private static JsonObject TestStart(Iperf3Parameters test, TimeSpan interval) => new()
    {
        ["protocol"] = "UDP",
        ["num_streams"] = test.StreamCount,
        ["blksize"] = test.LengthBytes,
        ["omit"] = test.OmitSeconds,
        ["duration"] = test.Seconds,
        ["bytes"] = test.Bytes,
        ["blocks"] = test.Blocks,
        ["reverse"] = test.Reverse ? 1 : 0,
        ["tos"] = test.TrafficClass,
        ["target_bitrate"] = test.BitsPerSecond,
        ["bidir"] = test.Bidirectional ? 1 : 0,
        ["fqrate"] = test.FqBitsPerSecond,
        ["interval"] = interval.TotalSeconds,
        ["gso"] = test.Gsro ? 1 : 0,
        ["gro"] = test.Gsro ? 1 : 0,
    };

    // The names of the sums of a test in both directions: the first one as elsewhere, the second one with a suffix.
    private static IEnumerable<(string Suffix, bool Sends)> Groups(Iperf3Test test) => test.Streams
        .Select(static stream => stream.Sends)
        .Distinct()
        .Select(static (sends, place) => (place == 0 ? "" : "_bidir_reverse", sends));

    private static JsonObject IntervalRow(Iperf3Interval interval, Iperf3Counts counts, bool sends)
    {
        JsonObject row = Span(interval.StartSeconds, interval.EndSeconds, counts.Bytes);
        if (sends) row["packets"] = counts.Packets;
        else AddLoss(row, counts);

        row["omitted"] = interval.IsOmitted;
        row["sender"] = sends;
        return row;
    }

    // iperf3 mixes both ends here: bytes and rate of the sender, loss and jitter of the receiver.
    private static JsonObject EndRow(double seconds, Iperf3StreamOutcome outcome, bool sends)
    {
        JsonObject row = Span(0, seconds, outcome.Sent.Bytes);
        row["bits_per_second"] = Rate(outcome.Sent.Bytes, outcome.SentSeconds);
        AddLoss(row, outcome.Received);
        row["sender"] = sends;
        return row;
    }

    private static JsonObject Row(double seconds, Iperf3Counts counts, bool isSender)
    {
        JsonObject row = Span(0, seconds, counts.Bytes);
        AddLoss(row, counts);
        row["sender"] = isSender;
        return row;
    }

    private static JsonObject Span(double start, double end, long bytes) => new()
    {
        ["start"] = start,
        ["end"] = end,
        ["seconds"] = end - start,
        ["bytes"] = bytes,
        ["bits_per_second"] = Rate(bytes, end - start),
    };

    private static void AddLoss(JsonObject row, Iperf3Counts counts)
    {
        row["jitter_ms"] = counts.JitterSeconds * 1000;
        row["lost_packets"] = counts.Lost;
        row["packets"] = counts.Packets;
        row["lost_percent"] = 100 * Statistics.Ratio(counts.Lost, counts.Packets);
    }

    private static double Rate(long bytes, double seconds) => Statistics.Ratio((double)bytes * BitsPerByte, seconds);
}

/// <summary>Writes the exact figures of an outcome as JSON, with the names that the reports have.</summary>
internal static class Iperf3OutcomeJson
{
    /// <summary><c>remote</c> is null where the other end is iperf3.</summary>
    /// <param name="outcome">Every number in it finite.</param>
    public static JsonElement ToElement(Iperf3Outcome outcome, string version) => JsonSerializer.SerializeToElement(
        new OutcomeFigures(
            Report.CurrentSchema, version, outcome.Directions, outcome.Notes, outcome.Local, outcome.Remote),
        Iperf3JsonContext.Default.OutcomeFigures);

    internal sealed record OutcomeFigures(
        string Schema,
        string SpateVersion,
        IReadOnlyList<Iperf3Direction> Directions,
        IReadOnlyList<string> Notes,
        TestEndReport Local,
        TestEndReport? Remote);
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(Iperf3OutcomeJson.OutcomeFigures))]
internal sealed partial class Iperf3JsonContext : JsonSerializerContext;
