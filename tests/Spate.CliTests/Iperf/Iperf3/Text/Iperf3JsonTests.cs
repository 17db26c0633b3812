using System.Text.Json;
using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Text;
using Spate.Cli.Iperf.Iperf3.Wire;
using static Spate.CliTests.Iperf.Iperf3.Iperf3Sample;

namespace Spate.CliTests.Iperf.Iperf3.Text;

/// <summary>Our documents beside those that iperf3 3.12 wrote (Documents), and the lines of events.</summary>
public sealed class Iperf3JsonTests
{
    private readonly List<string> _written = [];

    public static TheoryData<string, bool> Documents { get; } = new()
    {
        { "forward", true },
        { "forward", false },
        { "reverse", true },
        { "reverse", false },
        { "parallel", true },
        { "parallel", false },
        { "bidir", true },
        { "bidir", false },
        { "bidir-parallel", true },
        { "bidir-parallel", false },
    };

    [Theory, MemberData(nameof(Documents))]
    public void Document_EveryKeyOfIperf3_IsThereWithItsType(string name, bool isClient)
    {
        using JsonDocument real = Read($"{name}-{(isClient ? "client" : "server")}.json");
        Run(new Iperf3OutputOptions { IsJson = true }, isClient, ParametersOf(name));

        using var ours = JsonDocument.Parse(Assert.Single(_written));
        AssertSame("", real.RootElement, ours.RootElement);
    }

    [Fact]
    public void Document_ForwardClient_HasTheFigures()
    {
        Run(new Iperf3OutputOptions { IsJson = true }, isClient: true, new Iperf3Parameters());

        using var document = JsonDocument.Parse(Assert.Single(_written));
        JsonElement interval = document.RootElement.GetProperty("intervals")[0].GetProperty("streams")[0];
        Assert.Equal(5, interval.GetProperty("socket").GetInt32());
        Assert.Equal(893, interval.GetProperty("packets").GetInt64());
        JsonElement end = document.RootElement.GetProperty("end");
        Assert.Equal(1785 * Length, end.GetProperty("sum_sent").GetProperty("bytes").GetInt64());
        JsonElement received = end.GetProperty("sum_received");
        Assert.Equal(4, received.GetProperty("lost_packets").GetInt64());
        Assert.Equal(0.02, received.GetProperty("jitter_ms").GetDouble(), precision: 9);
        JsonElement direction = document.RootElement.GetProperty("spate").GetProperty("directions")[0];
        Assert.Equal(8, direction.GetProperty("account").GetProperty("lost").GetInt64());
        Assert.Equal(4, direction.GetProperty("afterEnd").GetInt64());
        Assert.True(direction.GetProperty("isExact").GetBoolean());
        JsonElement connecting = document.RootElement.GetProperty("start").GetProperty("connecting_to");
        Assert.Equal("hosta", connecting.GetProperty("host").GetString());
    }

    [Fact]
    public void Fail_BeforeTheTest_IsADocumentWithTheError()
    {
        Observer(new Iperf3OutputOptions { IsJson = true }, isClient: true).Tell(new IperfMessage("unable: \u001b no"));

        string text = Assert.Single(_written);
        Assert.DoesNotContain('\u001b', text);
        using var document = JsonDocument.Parse(text);
        Assert.Equal("unable: \u001b no", document.RootElement.GetProperty("error").GetString());
        Assert.Equal(0, document.RootElement.GetProperty("start").GetProperty("connected").GetArrayLength());
        Assert.Equal(0, document.RootElement.GetProperty("intervals").GetArrayLength());
        Assert.Equal(JsonValueKind.Object, document.RootElement.GetProperty("end").ValueKind);
    }

    [Fact]
    public void Fail_DuringTheTest_KeepsTheIntervals()
    {
        Iperf3Json json = Observer(new Iperf3OutputOptions { IsJson = true }, isClient: true);
        Iperf3Test test = NewTest(isClient: true, new Iperf3Parameters());
        json.Tell(test);
        json.Tell(Interval(test, 0, 1, Counts(893)));
        json.Tell(new IperfMessage("the server has gone"));

        using var document = JsonDocument.Parse(Assert.Single(_written));
        Assert.Equal(1, document.RootElement.GetProperty("intervals").GetArrayLength());
    }

    [Fact]
    public void Stream_WholeTest_IsALineForEachEvent()
    {
        Run(new Iperf3OutputOptions { IsJsonStream = true }, isClient: true, new Iperf3Parameters());

        AssertLines(["start", "interval", "end"], EventNames());
        Assert.All(_written, static line => Assert.DoesNotContain('\n', line));
        using var end = JsonDocument.Parse(_written[^1]);
        Assert.True(end.RootElement.GetProperty("data").TryGetProperty("spate", out _));
    }

    [Fact]
    public void Stream_FullOutput_AddsTheDocument()
    {
        Run(
            new Iperf3OutputOptions { IsJsonStream = true, HasFullOutput = true },
            isClient: true,
            new Iperf3Parameters());

        using var document = JsonDocument.Parse(_written[^1]);
        Assert.Equal(4, _written.Count);
        Assert.Equal(1, document.RootElement.GetProperty("intervals").GetArrayLength());
    }

    [Fact]
    public void Stream_Failure_IsAnEvent()
    {
        Iperf3Json json = Observer(new Iperf3OutputOptions { IsJsonStream = true }, isClient: true);

        json.Tell(new IperfMessage("no \"answer\""));

        Assert.Equal("""{"event":"error","data":"no \u0022answer\u0022"}""", Assert.Single(_written));
    }

    [Theory]
    [InlineData("""{"a":1,"a":2}""", "server_output_json")]
    [InlineData("""{"a":""", "server_output_text")]
    [InlineData("""{"a":"\ud800"}""", "server_output_text")]
    public void Finish_JsonOfTheServer_IsADocumentOrText(string json, string expected)
    {
        Finish(new Iperf3OutputOptions { IsJson = true }, outcome => outcome with { ServerJson = json });
        Finish(new Iperf3OutputOptions { IsJsonStream = true }, outcome => outcome with { ServerJson = json });

        using var document = JsonDocument.Parse(_written[0]);
        Assert.True(document.RootElement.TryGetProperty(expected, out _));
        AssertLines([expected, "end"], EventNames().Skip(1));
    }

    [Fact]
    public void Finish_TextOfTheServer_IsAString()
    {
        Finish(new Iperf3OutputOptions { IsJson = true }, outcome => outcome with { ServerText = "one\ntwo" });

        using var document = JsonDocument.Parse(_written[0]);
        Assert.Equal("one\ntwo", document.RootElement.GetProperty("server_output_text").GetString());
    }

    [Fact]
    public void OutputJson_LongTest_StaysBelowWhatResultsMayHave()
    {
        Iperf3Json json = Observer(new Iperf3OutputOptions { IsJson = true }, isClient: false);
        Iperf3Test test = NewTest(isClient: false, new Iperf3Parameters { StreamCount = 128 });
        json.Tell(test);
        IperfCounts[] streams = [.. Enumerable.Repeat(Counts(893), 128)];
        for (int second = 0; second < 100; second++) json.Tell(Interval(test, second, second + 1, streams));

        string output = json.OutputJson!;
        Assert.InRange(output.Length, 1, 900_000);
        using var document = JsonDocument.Parse(output);
        Assert.Equal(0, document.RootElement.GetProperty("intervals").GetArrayLength());
    }

    private static void AssertLines(string[] expected, IEnumerable<string> actual) =>
        Assert.Equal(string.Join('\n', expected), string.Join('\n', actual));

    private static Iperf3Parameters ParametersOf(string name) => new()
    {
        Reverse = name is "reverse",
        Bidirectional = name is "bidir" or "bidir-parallel",
        StreamCount = name is "parallel" or "bidir-parallel" ? 2 : 1,
    };

    private static JsonDocument Read(string name)
    {
        using Stream? resource = typeof(Iperf3JsonTests).Assembly.GetManifestResourceStream(name);
        Assert.NotNull(resource);
        return JsonDocument.Parse(resource);
    }

    private static void AssertSame(string path, JsonElement real, JsonElement ours)
    {
        Assert.True(Kind(real) == Kind(ours), $"{path} is {ours.ValueKind}, and {real.ValueKind} in iperf3");
        if (real.ValueKind == JsonValueKind.Object)
        {
            foreach (JsonProperty property in real.EnumerateObject())
            {
                string inner = $"{path}.{property.Name}";
                Assert.True(ours.TryGetProperty(property.Name, out JsonElement value), $"{inner} is missing");
                AssertSame(inner, property.Value, value);
            }
        }
        else if (real.ValueKind == JsonValueKind.Array)
        {
            Assert.Equal(real.GetArrayLength(), ours.GetArrayLength());
            for (int i = 0; i < real.GetArrayLength(); i++) AssertSame($"{path}[{i}]", real[i], ours[i]);
        }
        else if (path.EndsWith(".sender", StringComparison.Ordinal)
            || path.EndsWith(".num_streams", StringComparison.Ordinal))
        {
            Assert.Equal(real.ToString(), ours.ToString());
        }
    }

    private static JsonValueKind Kind(JsonElement element) =>
        element.ValueKind == JsonValueKind.False ? JsonValueKind.True : element.ValueKind;

    private Iperf3Json Observer(Iperf3OutputOptions output, bool isClient) => new(
        new Iperf3RunOptions
        {
            Output = output,
            Host = isClient ? "hosta" : "",
            Client = isClient ? new Iperf3ClientOptions { Servers = [] } : null,
            Server = isClient ? null : new Iperf3ServerOptions(),
        },
        _written.Add);

    private void Run(Iperf3OutputOptions output, bool isClient, Iperf3Parameters parameters)
    {
        Iperf3Test test = NewTest(isClient, parameters);
        Iperf3Json json = Observer(output, isClient);
        json.Tell(test);
        json.Tell(Interval(test, 0, 1, [.. test.Streams.Select(static _ => Counts(893, 0.00002))]));
        json.Tell(Outcome(
            [.. test.Streams.Select(static _ => Stream(Counts(1785), Counts(1785, 0.00002, lost: 4)))]));
    }

    private void Finish(Iperf3OutputOptions output, Func<Iperf3Outcome, Iperf3Outcome> change)
    {
        Iperf3Json json = Observer(output, isClient: true);
        Iperf3Test test = NewTest(isClient: true, new Iperf3Parameters());
        json.Tell(test);
        json.Tell(change(Outcome(Stream(Counts(1), Counts(1)))));
    }

    private IEnumerable<string> EventNames()
    {
        foreach (string line in _written)
        {
            using var document = JsonDocument.Parse(line);
            if (document.RootElement.TryGetProperty("event", out JsonElement name)) yield return name.GetString()!;
        }
    }
}
