using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Spate.Measurement.Reports;

/// <summary>
/// What <see cref="ReportJson"/> writes as camelCase JSON. A field whose value is not known is null, never left out.
/// Members have setters because the JSON reader fills them.
/// </summary>
internal abstract record Report
{
    /// <summary>
    /// The name and version of the format. Later versions may add fields; no field changes its meaning.
    /// </summary>
    public const string CurrentSchema = "spate/1";

    private const int MaxCharacters = 4000;

    /// <summary>The format of this report, <see cref="CurrentSchema"/>.</summary>
    [JsonPropertyOrder(-20)]
    public string Schema { get; set; } = CurrentSchema;

    /// <summary>
    /// What is reported: <c>info</c>, <c>send</c>, <c>receive</c>, <c>serve</c>, <c>bench</c> or a subcommand of it.
    /// </summary>
    [JsonPropertyOrder(-19)]
    public string Kind { get; set; } = "";

    /// <summary>What the serializer knows of this type of report.</summary>
    internal abstract JsonTypeInfo JsonType { get; }

    /// <summary>
    /// The figures that can be better or worse, in the order of the report; null for a report without any, as that of
    /// a host.
    /// </summary>
    internal virtual IReadOnlyList<ComparedFigure>? Figures => null;

    /// <summary>Where and how the figures were taken, in a fixed order.</summary>
    internal virtual IEnumerable<ReportSetting> ComparedSettings => [];

    /// <summary>
    /// What the report tells of the datagrams that its machine can receive; null for a kind that tells nothing of it.
    /// </summary>
    /// <param name="sizeBytes">Of several rows, the one with the nearest size counts.</param>
    internal virtual CapacityReading? ReadCapacity(int sizeBytes) => null;

    /// <summary>
    /// Makes what a new report takes from this host not known: a report that is read may be of another one.
    /// </summary>
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
