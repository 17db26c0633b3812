using System.Text.Json;

namespace Spate.TestHelpers.Commands;

/// <summary>The JSON of <c>spate watch</c>: a report in each line.</summary>
internal static class WatchReports
{
    public static async Task<JsonElement[]> ReadAsync(string path) =>
        Parse(await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));

    public static JsonElement[] Parse(string output) =>
    [
        .. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line =>
        {
            using JsonDocument document = JsonDocument.Parse(line);
            Assert.Equal("watch", document.RootElement.GetProperty("kind").GetString());
            return document.RootElement.Clone();
        }),
    ];

    /// <summary>The numbers of their intervals; null for a sum.</summary>
    public static IEnumerable<int?> Intervals(IEnumerable<JsonElement> reports) =>
        reports.Select(static one => one.GetProperty("interval")).Select(
            static value => value.ValueKind == JsonValueKind.Null ? (int?)null : value.GetInt32());
}
