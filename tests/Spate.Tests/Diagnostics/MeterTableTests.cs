using System.Text.Json;
using System.Text.RegularExpressions;
using Spate.Diagnostics;

namespace Spate.Tests.Diagnostics;

public sealed partial class MeterTableTests
{
    private const string Renewal = "SPATE_UPDATE_DOCS";

    public static TheoryData<string> Names => [.. MeterTable.Rows.Select(row => row.Name)];

    /// <summary>With SPATE_UPDATE_DOCS=1 the test writes the file instead, and passes.</summary>
    [Fact]
    public async Task Document_OfTheMetrics_IsMadeOfTheTable()
    {
        string path = Path.Combine(RepositoryTop.Path, MetricsDocument.Path);
        string text = await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken);
        string renewed = MetricsDocument.Renew(text);
        if (Environment.GetEnvironmentVariable(Renewal) is "1")
        {
            await File.WriteAllTextAsync(path, renewed, TestContext.Current.CancellationToken);
            return;
        }

        Assert.True(
            string.Equals(renewed, text, StringComparison.Ordinal),
            $"{MetricsDocument.Path} is not that of the meter: run this with {Renewal}=1.");
    }

    /// <summary>OpenTelemetry's rules, as far as a machine can tell.</summary>
    [Theory]
    [MemberData(nameof(Names))]
    public void Name_OfAnInstrument_FollowsTheConventions(string name)
    {
        MeterRow row = MeterTable.Rows.Single(row => string.Equals(row.Name, name, StringComparison.Ordinal));
        Assert.Matches("^spate(\\.[a-z][a-z_]*[a-z])+$", name);
        Assert.DoesNotMatch("_total|s$", name);
        Assert.Matches("^(By|\\{[a-z]+\\})$", row.Unit);
        Assert.EndsWith(".", row.Meaning, StringComparison.Ordinal);
        Assert.All(
            MetricsDocument.AttributesOf(row),
            attribute => Assert.Matches("^(spate|network)\\.[a-z_.]+$", attribute.Key));
    }

    [Fact]
    public void Figures_OfServers_AreEachShownOnce() => Assert.Equal(
        Enum.GetValues<ServerMetric>(),
        MeterTable.Rows.SelectMany(row => row.Figures)
            .Select(figure => figure.OfServer).OfType<ServerMetric>().Order());

    /// <summary>A query for a metric that does not exist is an empty panel, and nobody says why.</summary>
    [Fact]
    public async Task Dashboard_OfTheDocuments_AsksForMetricsThatExist()
    {
        string path = Path.Combine(RepositoryTop.Path, "docs/run/grafana-spate.json");
        string text = await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken);
        using JsonDocument dashboard = JsonDocument.Parse(text);
        string[] known = [.. MeterTable.Rows.Select(MetricsDocument.PrometheusName)];

        IEnumerable<string> asked = MetricName().Matches(text).Select(match => match.Value);

        Assert.Equal(known.Order(StringComparer.Ordinal), asked.Distinct(StringComparer.Ordinal).Order(
            StringComparer.Ordinal));
        int[] ids = [.. dashboard.RootElement.GetProperty("panels").EnumerateArray()
            .Select(panel => panel.GetProperty("id").GetInt32())];
        Assert.Equal(ids.Distinct(), ids);
        Assert.True(dashboard.RootElement.GetProperty("schemaVersion").GetInt32() >= 36);
    }

    // Labels are spate_name, spate_drop_place and so on; metrics of the dashboard are followed by a brace.
    [GeneratedRegex(@"\bspate_[a-z_]+(?=\{)", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 1000)]
    private static partial Regex MetricName();
}
