using System.Text.Json.Serialization;

namespace Spate.Measurement.Bench.Designs;

/// <summary>One thread of a design in the median round.</summary>
public sealed record DesignThreadRow
{
    /// <summary>Datagrams that it handled; if it receives for the others, those that it handed on.</summary>
    public required long Datagrams { get; set; }

    /// <summary>Calls that brought them.</summary>
    public required long Calls { get; set; }

    /// <summary>The fewest that a call brought; 0 if there was none.</summary>
    public required int LeastPerCall { get; set; }

    /// <summary>Datagrams per call; 0 if there was none.</summary>
    public required double MeanPerCall { get; set; }

    /// <summary>The most that a call brought.</summary>
    public required int MostPerCall { get; set; }

    /// <summary>How often it gave up its CPU; null where the system does not tell.</summary>
    public required long? VoluntarySwitches { get; set; }

    /// <summary>How often it was taken off its CPU; null where the system does not tell.</summary>
    public required long? InvoluntarySwitches { get; set; }

    /// <summary>Whether it receives for the others and runs no handler. Not part of the JSON.</summary>
    [JsonIgnore]
    public bool IsReceiver { get; set; }

    /// <summary>CPU time; null where the system does not tell. Not part of the JSON.</summary>
    [JsonIgnore]
    public long? CpuNanoseconds { get; set; }
}
