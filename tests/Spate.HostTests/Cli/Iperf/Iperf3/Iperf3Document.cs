using System.Text.Json;

namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>The JSON document that one end of a test wrote.</summary>
internal sealed class Iperf3Document
{
    private const string ReverseSuffix = "_bidir_reverse";

    private Iperf3Document(JsonElement root) => Root = root;

    public JsonElement Root { get; }

    public JsonElement Start => Root.GetProperty("start");

    public JsonElement TestStart => Start.GetProperty("test_start");

    public JsonElement Connected => Start.GetProperty("connected")[0];

    public int StreamCount => Root.GetProperty("end").GetProperty("streams").GetArrayLength();

    public bool IsBothWays => Root.GetProperty("end").TryGetProperty("sum" + ReverseSuffix, out _);

    /// <summary>Payload bytes that were sent in the first direction, without those that are omitted.</summary>
    public long SentBytes => Root.GetProperty("end").GetProperty("sum_sent").GetProperty("bytes").GetInt64();

    /// <summary>The exact figures; null for those of the real program.</summary>
    public JsonElement? Exact => Root.TryGetProperty("spate", out JsonElement exact) ? exact : null;

    public static Iperf3Document Parse(string json)
    {
        using var document = JsonDocument.Parse(json);
        return new Iperf3Document(document.RootElement.Clone());
    }

    /// <summary>Datagrams that were sent in a direction, as iperf3 has them.</summary>
    public long Sent(bool isForward) => Sum("sum_sent", isForward, "packets");

    /// <summary>The highest counter that came in a direction.</summary>
    public long Received(bool isForward) => Sum("sum_received", isForward, "packets");

    /// <summary>What iperf3 takes for loss.</summary>
    public long Lost(bool isForward) => Sum("sum_received", isForward, "lost_packets");

    /// <summary>The sums of the first direction, an interval each.</summary>
    public JsonElement[] IntervalSums() =>
        [.. Root.GetProperty("intervals").EnumerateArray().Select(static one => one.GetProperty("sum"))];

    /// <summary>The exact figures of a direction.</summary>
    public JsonElement Direction(bool isForward)
    {
        string from = isForward ? "client" : "server";
        return Exact!.Value.GetProperty("directions").EnumerateArray()
            .Single(one => one.GetProperty("account").GetProperty("from").ValueEquals(from));
    }

    /// <summary>A figure of the exact account of a direction.</summary>
    public long Account(bool isForward, string name) =>
        Direction(isForward).GetProperty("account").GetProperty(name).GetInt64();

    private long Sum(string name, bool isForward, string figure)
    {
        string suffix = IsBothWays && !isForward ? ReverseSuffix : "";
        return Root.GetProperty("end").GetProperty(name + suffix).GetProperty(figure).GetInt64();
    }
}
