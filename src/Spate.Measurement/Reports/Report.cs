using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Spate.Measurement.Reports;

/// <summary>What <see cref="ReportJson"/> writes: unknown is null. The JSON reader needs the setters.</summary>
internal abstract record Report
{
    /// <summary>Later versions may add fields; no field changes its meaning.</summary>
    public const string CurrentSchema = "spate/1";

    private const int MaxCharacters = 4000;

    [JsonPropertyOrder(-20)]
    public string Schema { get; set; } = CurrentSchema;

    [JsonPropertyOrder(-19)]
    public string Kind { get; set; } = "";

    internal abstract JsonTypeInfo JsonType { get; }

    /// <summary>In the order of the report; null for a report without any, as that of a host.</summary>
    internal virtual IReadOnlyList<ComparedFigure>? Figures => null;

    internal virtual IEnumerable<ReportSetting> ComparedSettings => [];

    /// <summary>Null for a kind that tells nothing of it. The row with the nearest size counts.</summary>
    internal virtual CapacityReading? ReadCapacity(int sizeBytes) => null;

    /// <summary>A report that is read may be of another host.</summary>
    internal virtual void ForgetHost()
    {
    }

    /// <summary>The report as one line of JSON, at most 4,000 characters of it.</summary>
    public sealed override string ToString()
    {
        try
        {
            string json = ReportJson.Serialize(this, indented: false);
            return json.Length > MaxCharacters ? json[..MaxCharacters] + "…" : json;
        }
        catch (ArgumentException)
        {
            // A type of another library, or a figure that is not finite: JSON has neither.
            return $"{GetType().Name} {{ {nameof(Kind)} = {Kind} }}";
        }
    }
}

/// <summary>Where and how the figures of a report were taken.</summary>
/// <param name="MustBeAlike">Whether figures of different values are of different things.</param>
internal sealed record ReportSetting(string Name, string Value, bool MustBeAlike = false)
{
    private const string NotKnown = "-";

    public static ReportSetting Of(string name, string? value) => new(name, value ?? NotKnown);

    public static ReportSetting Of(string name, bool value) => new(name, value ? "yes" : "no");

    public static ReportSetting Of(string name, IFormattable? number) => new(name, Text(number));

    public static ReportSetting Of(string name, IEnumerable<string> words) =>
        new(name, string.Join(", ", words) is { Length: > 0 } list ? list : NotKnown);

    public static string Text(IFormattable? number) =>
        number?.ToString(format: null, CultureInfo.InvariantCulture) ?? NotKnown;
}

/// <summary>One figure of one row of a report.</summary>
/// <param name="Row">The row, for example <c>spate-mmsg, 64 bytes</c>; empty where the report has no rows.</param>
/// <param name="Value">The value of the whole run, with rounds their median; null where it is not known.</param>
internal sealed record ComparedFigure(
    string Row, string Name, bool IsHigherBetter, double? Value, IReadOnlyList<double> Rounds)
{
    // Names of figures that several kinds of reports have.
    public const string Rate = "datagramsPerSecond";
    public const string Lost = "lostPercent";
    public const string Processed = "processedPercent";
    public const string Allocated = "allocatedBytesPerDatagram";
    public const string Receive = "receiveNanosecondsPerDatagram";
    public const string Send = "sendNanosecondsPerDatagram";

    public const string Negative = "a report has values below 0, which no run produces";

    public string? NoMeasure { get; init; }

    public static ComparedFigure Cost(string row, string name, double? value, params IReadOnlyList<double> rounds) =>
        new(row, name, IsHigherBetter: false, value, rounds);

    public static ComparedFigure Gain(string row, string name, double? value, params IReadOnlyList<double> rounds) =>
        new(row, name, IsHigherBetter: true, value, rounds);
}

/// <summary>What a machine was measured to receive, which a plan stands on.</summary>
/// <param name="CapacityPerSecond">Datagrams a second that the receiving threads can take.</param>
/// <param name="MeasuredPerSecond">Did arrive; null where none were offered for a time.</param>
/// <param name="CpuNanosecondsPerDatagram">Null where the run is no measure of it.</param>
internal sealed record MeasuredCapacity(
    string Source,
    int? SizeBytes,
    double CapacityPerSecond,
    double? MeasuredPerSecond,
    double? LostPercent,
    double? CpuNanosecondsPerDatagram,
    int Threads,
    int? Cpus)
{
    internal const string ReceivedOnly =
        "a datagram is only received and read: the work of your program comes on top, and a report of "
        + "spate serve --work includes it";

    /// <summary>Whether datagrams may have come in one sender's GRO buffers, where each costs less.</summary>
    [JsonPropertyName("isOfTrains")]
    public bool IsCoalesced { get; init; }

    /// <summary>Datagrams that a receive call brought, on average; null where the report does not tell.</summary>
    public double? DatagramsPerCall { get; init; }

    /// <summary>Whether a signal ended the measurement, a bench, before its last round.</summary>
    public bool Interrupted { get; init; }

    /// <summary>One sentence each. Not in the JSON of the basis: the plan lists all assumptions.</summary>
    [JsonIgnore]
    public IReadOnlyList<string> Assumptions { get; init; } = [];

    public override string ToString() => RecordText.Of(
        nameof(MeasuredCapacity), PrintMembers, (nameof(Assumptions), Assumptions));
}

/// <summary>The capacity that a report tells, or why it tells none, as a part of a sentence.</summary>
internal readonly record struct CapacityReading(MeasuredCapacity? Capacity, string? Fault)
{
    public static CapacityReading Of(MeasuredCapacity capacity) => new(capacity, Fault: null);

    public static CapacityReading Refused(string fault) => new(Capacity: null, fault);
}

/// <summary>Writes JSON in camelCase, with units in the names, versioned by <see cref="Report.Schema"/>.</summary>
internal static class ReportJson
{
    /// <summary>The report, every number in it finite, as JSON text: for people, or as a single line.</summary>
    public static string Serialize(Report report, bool indented = true)
    {
        using var text = new MemoryStream();
        Serialize(text, report, indented);
        return Encoding.UTF8.GetString(text.GetBuffer(), 0, (int)text.Length);
    }

    /// <summary>Writes the report as UTF-8 JSON, ended by a line feed. The stream stays open.</summary>
    public static void Write(Stream utf8, Report report, bool indented = true)
    {
        Serialize(utf8, report, indented);
        utf8.WriteByte((byte)'\n');
    }

    public static JsonElement ToElement(Report report) => JsonSerializer.SerializeToElement(report, report.JsonType);

    // The writer decides about the lines, whatever the options of the type say.
    private static void Serialize(Stream utf8, Report report, bool indented)
    {
        JsonTypeInfo type = report.JsonType;
        using var writer = new Utf8JsonWriter(utf8, new JsonWriterOptions
        {
            Encoder = type.Options.Encoder,
            Indented = indented,
            NewLine = "\n",
        });
        JsonSerializer.Serialize(writer, report, type);
    }
}

/// <summary>The names of enumerated choices in commands and reports: <c>OneByOne</c> is <c>one-by-one</c>.</summary>
internal static class NameText
{
    public static string Of<T>(T value)
        where T : struct, Enum
    {
        var text = new StringBuilder();
        foreach (char letter in value.ToString())
        {
            if (char.IsAsciiLetterUpper(letter) && text.Length > 0) text.Append('-');

            text.Append(char.ToLowerInvariant(letter));
        }

        return text.ToString();
    }

    /// <summary>All names, in the order of the values.</summary>
    public static IReadOnlyList<string> All<T>()
        where T : struct, Enum =>
        [.. Enum.GetValues<T>().Select(Of)];

    public static bool TryParse<T>(string name, out T value)
        where T : struct, Enum
    {
        foreach (T candidate in Enum.GetValues<T>())
        {
            if (string.Equals(Of(candidate), name, StringComparison.Ordinal))
            {
                value = candidate;
                return true;
            }
        }

        value = default;
        return false;
    }
}

/// <summary>Says that the names of a map in a report are those of an enumeration, in camelCase.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class MapNamesAttribute(Type enumeration) : Attribute
{
    public Type Enumeration => enumeration;

    public static string[] Of(Type enumeration) =>
        [.. Enum.GetNames(enumeration).Select(JsonNamingPolicy.CamelCase.ConvertName)];
}
