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
