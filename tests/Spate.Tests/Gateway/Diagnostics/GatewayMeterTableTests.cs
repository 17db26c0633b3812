using Spate.Gateway;
using Spate.Gateway.Diagnostics;

namespace Spate.Tests.Gateway.Diagnostics;

public sealed class GatewayMeterTableTests
{
    private const string Renewal = "SPATE_UPDATE_DOCS";

    public static TheoryData<string> Names => [.. GatewayMeterTable.Rows.Select(row => row.Name)];

    /// <summary>With SPATE_UPDATE_DOCS=1 the test writes the file instead, and passes.</summary>
    [Fact]
    public async Task Document_OfTheGateway_HasTheTableOfItsMetrics()
    {
        string path = Path.Combine(RepositoryTop.Path, GatewayMeterDocument.Path);
        string text = await File.ReadAllTextAsync(path, GatewayCase.Cancellation);
        string renewed = GatewayMeterDocument.Renew(text);
        if (Environment.GetEnvironmentVariable(Renewal) is "1")
        {
            await File.WriteAllTextAsync(path, renewed, GatewayCase.Cancellation);
            return;
        }

        Assert.True(
            string.Equals(renewed, text, StringComparison.Ordinal),
            $"{GatewayMeterDocument.Path} is not that of the meter: run this with {Renewal}=1.");
    }

    /// <summary>OpenTelemetry's rules, as far as a machine can tell.</summary>
    [Theory]
    [MemberData(nameof(Names))]
    public void Name_OfAnInstrument_FollowsTheConventions(string name)
    {
        GatewayMeterRow row = GatewayMeterTable.Rows.Single(
            row => string.Equals(row.Name, name, StringComparison.Ordinal));
        Assert.Matches("^spate\\.gateway(\\.[a-z][a-z_]*[a-z])+$", name);
        Assert.DoesNotMatch("_total|s$", name);
        Assert.Matches("^(By|\\{[a-z]+\\})$", row.Unit);
        Assert.EndsWith(".", row.Meaning, StringComparison.Ordinal);
        (string Key, string[] Values)[] attributes = [.. GatewayMeterDocument.AttributesOf(row)];
        Assert.All(attributes, attribute => Assert.Matches("^spate\\.[a-z_.]+$", attribute.Key));

        // Two figures of the same attributes would be one series with two values.
        Assert.All(attributes, attribute => Assert.Equal(
            row.Figures.Length, attribute.Values.Distinct(StringComparer.Ordinal).Count()));
        Assert.True(attributes.Length > 0 || row.Figures.Length == 1);
    }

    /// <summary>Every count of the account is there, each at its own place.</summary>
    [Fact]
    public void Figures_OfAPipeline_ShowEachCountAtItsPlace()
    {
        GatewayPipelineStatistics pipeline = new()
        {
            ShardIndex = 0,
            State = GatewayState.Committing,
            Accepted = 100_000,
            Committed = 20,
            DroppedWindowFull = 300,
            DroppedRefused = 301,
            DroppedOversized = 302,
            DroppedShutdown = 303,
            NotAllowed = 304,
            InDoubt = 41,
            InFlight = 42,
            MessagesPublished = 50,
            MessagesPublishedAgain = 51,
            MessagesConfirmed = 52,
            ConnectionsLost = 60,
            PackBytesUsed = 70,
        };
        GatewayStatistics statistics = new()
        {
            State = GatewayState.Committing,
            Pipelines = [pipeline, pipeline],
            Server = null!,
        };
        Dictionary<string, long> expected = new(StringComparer.Ordinal)
        {
            ["spate.gateway.accepted.count"] = 200_000,
            ["spate.gateway.committed.count"] = 40,
            ["spate.gateway.drop.count/window_full"] = 600,
            ["spate.gateway.drop.count/refused"] = 602,
            ["spate.gateway.drop.count/oversized"] = 604,
            ["spate.gateway.drop.count/shutdown"] = 606,
            ["spate.gateway.drop.count/not_allowed"] = 608,
            ["spate.gateway.pending.count/in_flight"] = 84,
            ["spate.gateway.pending.count/in_doubt"] = 82,
            ["spate.gateway.difference.count"] = 196_774,
            ["spate.gateway.message.count/published"] = 100,
            ["spate.gateway.message.count/published_again"] = 102,
            ["spate.gateway.message.count/confirmed"] = 104,
            ["spate.gateway.connection.lost"] = 120,
            ["spate.gateway.memory.usage"] = 140,
        };
        Dictionary<string, long> found = GatewayMeterTable.Rows
            .SelectMany(row => row.Figures, (row, figure) => (row.Name, Figure: figure))
            .ToDictionary(
                each => each.Name + string.Concat(each.Figure.Tags.Select(tag => $"/{tag.Value}")),
                each => each.Figure.Read(statistics),
                StringComparer.Ordinal);
        Assert.Equal(expected, found);
    }

    [Fact]
    public void TagsOf_GatewayWithoutAName_AreThoseOfTheFigureAlone()
    {
        GatewayMeterFigure figure = GatewayMeterTable.Rows.SelectMany(row => row.Figures).First(
            figure => figure.Tags.Length == 1);
        Assert.Equal(figure.Tags, GatewayMeterTable.TagsOf(figure, ""));
        KeyValuePair<string, object?>[] named = GatewayMeterTable.TagsOf(figure, "logs");
        Assert.Equal(2, named.Length);
        Assert.Equal(new KeyValuePair<string, object?>("spate.name", "logs"), named[1]);
    }
}
