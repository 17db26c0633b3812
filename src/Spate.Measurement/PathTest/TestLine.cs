using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>What a server says of a test in a line of its own log.</summary>
internal static class TestLine
{
    public static string Of(TestEndReport report)
    {
        var parts = new List<string>();
        if (report.Received is { } received)
        {
            parts.Add($"received {received.Datagrams} datagrams in {received.Seconds:0.00} s, "
                + $"lost {received.Lost}");
        }

        if (report.Sent is { } sent) parts.Add($"sent {sent.Datagrams} datagrams in {sent.Seconds:0.00} s");
        return string.Join(", ", parts);
    }
}
