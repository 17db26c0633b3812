using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Shell;

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
