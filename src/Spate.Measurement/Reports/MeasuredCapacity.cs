using System.Text.Json.Serialization;

namespace Spate.Measurement.Reports;

/// <summary>What a machine was measured to receive, which a plan stands on.</summary>
/// <param name="Source">The measurement, for example <c>bench, spate-mmsg</c>.</param>
/// <param name="SizeBytes">Payload bytes of its datagrams; null where they varied.</param>
/// <param name="CapacityPerSecond">Datagrams a second that the receiving threads can take.</param>
/// <param name="MeasuredPerSecond">Datagrams a second that did arrive; null where none were offered for a time.</param>
/// <param name="LostPercent">The loss at that rate; null where it is not known.</param>
/// <param name="CpuNanosecondsPerDatagram">
/// CPU time of the receiving threads for each datagram; null where the run is no measure of it.
/// </param>
/// <param name="Threads">The receiving threads.</param>
/// <param name="Cpus">The CPUs that the process could use; null where the report does not tell.</param>
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
    /// <summary>What figures assume of datagrams that nothing handled.</summary>
    internal const string ReceivedOnly =
        "a datagram is received and looked at, no more: the work of your program comes on top, and a report of "
        + "spate serve --work includes it";

    /// <summary>
    /// Whether the kernel could hand over several datagrams as one buffer (GRO), and calls brought more than one: the
    /// datagrams may have come in coalesced buffers of one sender, each datagram of which costs a part of what a
    /// datagram alone costs.
    /// </summary>
    [JsonPropertyName("isOfTrains")]
    public bool IsCoalesced { get; init; }

    /// <summary>Datagrams that a receive call brought, on average; null where the report does not tell.</summary>
    public double? DatagramsPerCall { get; init; }

    /// <summary>Whether a signal ended the measurement, a bench, before its last round.</summary>
    public bool Interrupted { get; init; }

    /// <summary>
    /// What these figures assume, one sentence each. Not part of the JSON of the basis: the plan lists all assumptions.
    /// </summary>
    [JsonIgnore]
    public IReadOnlyList<string> Assumptions { get; init; } = [];

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(MeasuredCapacity), PrintMembers, (nameof(Assumptions), Assumptions));
}

/// <summary>The capacity that a report tells, or why it tells none, as a part of a sentence.</summary>
internal readonly record struct CapacityReading(MeasuredCapacity? Capacity, string? Fault)
{
    public static CapacityReading Of(MeasuredCapacity capacity) => new(capacity, Fault: null);

    public static CapacityReading Refused(string fault) => new(Capacity: null, fault);
}
