using System.Text.Json;

namespace Spate.Measurement.Traffic;

/// <summary>A report cut into parts that a datagram holds, and put together again.</summary>
internal static class ReportParts
{
    /// <summary>
    /// The longest report, in bytes. An honest one is much shorter, see <see cref="SentReport"/>; this bounds a
    /// client's memory.
    /// </summary>
    public const int MaxReportBytes = 4 << 20;

    /// <summary>
    /// The most objects and arrays in the JSON of a report. An honest one has some thousands; "{}" in a list takes two
    /// bytes there, but hundreds in memory.
    /// </summary>
    public const int MaxReportObjects = 1 << 16;

    /// <summary>Bytes of report in one part; its number and the length of the whole are in the message.</summary>
    public const int PartBytes = 1024;

    /// <summary>How many parts a client may ask for at once.</summary>
    public const int MaxPartsPerFetch = 32;

    public static int CountOf(int reportBytes) => (reportBytes + PartBytes - 1) / PartBytes;

    /// <summary>Whether a report holds so many objects that reading it would take many times its memory.</summary>
    /// <exception cref="JsonException">It is no JSON.</exception>
    public static bool HasTooManyObjects(ReadOnlySpan<byte> report)
    {
        var reader = new Utf8JsonReader(report);
        int count = 0;
        while (count <= MaxReportObjects && reader.Read())
        {
            if (reader.TokenType is JsonTokenType.StartObject or JsonTokenType.StartArray) count++;
        }

        return count > MaxReportObjects;
    }

    public static ReadOnlySpan<byte> Cut(ReadOnlySpan<byte> report, int index)
    {
        int start = index * PartBytes;
        return report.Slice(start, Math.Min(PartBytes, report.Length - start));
    }
}
