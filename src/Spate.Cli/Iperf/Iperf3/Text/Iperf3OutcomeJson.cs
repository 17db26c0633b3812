using System.Text.Json;
using System.Text.Json.Serialization;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>Writes the exact figures of an outcome as JSON, with the names that the reports have.</summary>
internal static class Iperf3OutcomeJson
{
    /// <summary><c>remote</c> is null where the other end is iperf3.</summary>
    /// <param name="outcome">Every number in it finite.</param>
    public static JsonElement ToElement(Iperf3Outcome outcome, string version) => JsonSerializer.SerializeToElement(
        new OutcomeFigures(
            Report.CurrentSchema, version, outcome.Directions, outcome.Notes, outcome.Local, outcome.Remote),
        Iperf3JsonContext.Default.OutcomeFigures);

    internal sealed record OutcomeFigures(
        string Schema,
        string SpateVersion,
        IReadOnlyList<Iperf3Direction> Directions,
        IReadOnlyList<string> Notes,
        TestEndReport Local,
        TestEndReport? Remote);
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(Iperf3OutcomeJson.OutcomeFigures))]
internal sealed partial class Iperf3JsonContext : JsonSerializerContext;
