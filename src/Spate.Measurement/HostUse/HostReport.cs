using System.Text.Json.Serialization;
using Spate.Measurement.Reports;

namespace Spate.Measurement.HostUse;

/// <summary>What every report about the state of a host says of where it comes from.</summary>
internal abstract record HostReport : Report
{
    [JsonPropertyOrder(-18)]
    public required string SpateVersion { get; set; }

    [JsonPropertyOrder(-17)]
    public required string Kernel { get; set; }
}
