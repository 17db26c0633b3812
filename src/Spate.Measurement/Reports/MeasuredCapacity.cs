using System.Text.Json.Serialization;

namespace Spate.Measurement.Reports;

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
        "a datagram is received and looked at, no more: the work of your program comes on top, and a report of "
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
