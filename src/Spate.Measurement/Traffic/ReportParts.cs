namespace Spate.Measurement.Traffic;

/// <summary>A report cut into parts that a datagram holds, and put together again.</summary>
internal static class ReportParts
{
    /// <summary>Bounds a client's memory; an honest one is much shorter, see <see cref="SentReport"/>.</summary>
    public const int MaxReportBytes = 4 << 20;

    /// <summary>Bytes of report in one part; its number and the length of the whole are in the message.</summary>
    public const int PartBytes = 1024;

    public const int MaxPartsPerFetch = 32;

    public static int CountOf(int reportBytes) => (reportBytes + PartBytes - 1) / PartBytes;

    public static ReadOnlySpan<byte> Cut(ReadOnlySpan<byte> report, int index)
    {
        int start = index * PartBytes;
        return report.Slice(start, Math.Min(PartBytes, report.Length - start));
    }
}
