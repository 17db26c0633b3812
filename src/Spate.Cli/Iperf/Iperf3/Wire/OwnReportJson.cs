using System.Runtime.InteropServices;
using System.Text.Json;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>Reads what this program adds to its results, as anyone may have written it.</summary>
internal static class OwnReportJson
{
    /// <summary>The report under a key; null where there is none that this program would have written.</summary>
    public static TestEndReport? Read(JsonElement root, string key)
    {
        if (!root.TryGetProperty(key, out JsonElement element)) return null;

        try
        {
            ReadOnlySpan<byte> json = JsonMarshal.GetRawUtf8Value(element);
            if (ReportProbe.HasTooManyObjects(json) || !HasOnlyFiniteNumbers(json)) return null;

            TestEndReport? report = JsonSerializer.Deserialize(json, SessionJson.Default.TestEndReport);
            return report is { IsWhole: true } ? report : null;
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            // Of another version, or a stranger's: the results beside it are read all the same.
            return null;
        }
    }

    // A reader takes 1e400 for an endless number, which no writer of JSON can write.
    private static bool HasOnlyFiniteNumbers(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json);
        while (reader.Read())
        {
            if (reader.TokenType != JsonTokenType.Number) continue;
            if (!reader.TryGetDouble(out double value) || !double.IsFinite(value)) return false;
        }

        return true;
    }
}
