using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using System.Text.RegularExpressions;
using Spate.Cli.Bench;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Gateway;
using Spate.Cli.Info;
using Spate.Cli.Serve;
using Spate.HostTuning.Reading;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Reports.Conditions;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Reports.Conditions;

public sealed class ReportConditionTests
{
    private const string Unjudged = ", which cannot be compared, so the check fails";

    [Theory]
    [InlineData("lost > 4", "lost is 5")]
    [InlineData("lost>=5", "lost is 5")]
    [InlineData("  lost  ==  5  ", "lost is 5")]
    [InlineData("lost > 5", null)]
    [InlineData("lost < 1k", "lost is 5")]
    [InlineData("lost >= -0.5", "lost is 5")]
    [InlineData("lostPercent > 0.1%", "lostPercent is 0.5")]
    [InlineData("lostPercent == 0.5 %", "lostPercent is 0.5")]
    [InlineData("bitsPerSecond < 1Mbit", "bitsPerSecond is 400000")]
    [InlineData("bitsPerSecond < 400kbit/s", null)]
    [InlineData("bytes == 100000", "bytes is 100000")]
    [InlineData("bytes > 100k", null)] // k is 1024 in bytes
    [InlineData("datagrams >= 1k", "datagrams is 1000")]
    [InlineData("backend == mmsg", "backend is \"mmsg\"")]
    [InlineData("backend != mmsg", null)]
    [InlineData("kernelDropUnit == coalesced buffers", "kernelDropUnit is \"coalesced buffers\"")]
    [InlineData("kernelDropUnit == 'coalesced buffers'", "kernelDropUnit is \"coalesced buffers\"")]
    [InlineData("kernelDropUnit == \"null\"", null)]
    [InlineData("perStream[0].ended == true", "perStream[0, 00000000deadbeef].ended is true")]
    [InlineData("perStream[*].ended != true", null)]
    [InlineData("intervals[*].lost < 0", "intervals[0].lost is -1")]
    [InlineData("intervals[seconds=1].lost == -1", "intervals[0].lost is -1")]
    [InlineData("threads[receive].cpu == 3", "threads[0, receive].cpu is 3")]
    [InlineData("threads[ receive , cpu = 3 , 0 ].node == 0", "threads[0, receive].node is 0")]
    [InlineData("threads[role='receive'].node == 0", "threads[0, receive].node is 0")]
    [InlineData("offloads[gro] == gro", "offloads[0] is \"gro\"")]
    [InlineData("ports[*] == 9999", "ports[0] is 9999")]
    public void Judge_KnownValue_ComparesIt(string text, string? expected) => AssertJudged(text, expected);

    [Theory]
    [InlineData("sizeBytes == null", null)]
    [InlineData("late == null", "late is null")]
    [InlineData("late != null", null)]
    [InlineData("lost != null", "lost is 5")]
    [InlineData("threads[send] == null", "threads[no such element] is null")]
    [InlineData("threads[send] != null", null)]
    [InlineData("threads[*] == null", null)]
    [InlineData("late > 0", "late is null" + Unjudged)]
    [InlineData("late != 0", "late is null" + Unjudged)]
    [InlineData("threads[send].cpu > 0", "threads[no such element] is null" + Unjudged)]
    [InlineData("intervals[9].lost > 0", "intervals[no such element] is null" + Unjudged)]
    public void Judge_UnknownValue_FailsTheCheckUnlessNullIsAskedFor(string text, string? expected) =>
        AssertJudged(text, expected);

    [Fact]
    public void Judge_SeveralValues_NamesTheFirstAndCountsTheOthers()
    {
        var report = new TrafficReport { Intervals = [new() { Lost = 0 }, new() { Lost = 7 }, new() { Lost = 9 }] };

        Assert.Equal(
            "intervals[*].lost > 0: intervals[1].lost is 7 (and 1 more)",
            Assert.Single(ReportCondition.Judge([Parse<TrafficReport>("intervals[*].lost > 0")], report)));
    }

    [Fact]
    public void Judge_OneHoldsAndOneIsUnknown_TellsTheOneThatHolds()
    {
        var report = new TrafficReport { Intervals = [new() { Lost = null }, new() { Lost = 7 }] };

        Assert.Equal(
            "intervals[*].lost > 0: intervals[1].lost is 7",
            Assert.Single(ReportCondition.Judge([Parse<TrafficReport>("intervals[*].lost > 0")], report)));
    }

    [Fact]
    public void Judge_SeveralConditions_HasALineForEachThatHolds()
    {
        ReportCondition[] conditions =
        [
            Parse<BenchReport>("rows[spate-mmsg, sizeBytes=1380].lostPercent >= 0.1"),
            Parse<BenchReport>("rounds < 9"),
            Parse<BenchReport>("rows[*].receiveNanosecondsPerDatagram == null"),
        ];

        Assert.Equal(
            [
                "rows[spate-mmsg, sizeBytes=1380].lostPercent >= 0.1: rows[0, spate-mmsg].lostPercent is 0.1",
                "rows[*].receiveNanosecondsPerDatagram == null: "
                + "rows[0, spate-mmsg].receiveNanosecondsPerDatagram is null",
            ],
            ReportCondition.Judge(conditions, SampleReports.Bench()));
    }

    [Fact]
    public void Judge_CountBeyondTheDoubles_IsExact()
    {
        var report = new TrafficReport { Datagrams = 9007199254740993 };

        Assert.Single(ReportCondition.Judge([Parse<TrafficReport>("datagrams == 9007199254740993")], report));
        Assert.Empty(ReportCondition.Judge([Parse<TrafficReport>("datagrams == 9007199254740992")], report));
    }

    [Fact]
    public void Judge_NumberBeyondTheDecimals_IsComparedAsDouble()
    {
        var report = new TrafficReport { CpuUserSeconds = 1e300 };

        Assert.Single(ReportCondition.Judge([Parse<TrafficReport>("cpuUserSeconds > 1000g")], report));
        Assert.Empty(ReportCondition.Judge([Parse<TrafficReport>("cpuUserSeconds <= 1000g")], report));
    }

    [Fact]
    public void Judge_TextOfStrangers_IsEscapedAndCutShort()
    {
        var report = new TrafficReport { Backend = "\u001b[31m\n\"é" + new string('x', 100_000) };

        string line = Assert.Single(ReportCondition.Judge([Parse<TrafficReport>("backend != 'a\u001b'")], report));

        Assert.StartsWith(
            """backend != 'a\u001b': backend is "\u001b[31m\u000a\u0022\u00e9xxx""", line, StringComparison.Ordinal);
        Assert.InRange(line.Length, 100, 200);
    }

    [Theory]
    [InlineData("", "expected the name of a figure")]
    [InlineData("> 5", "expected the name of a figure")]
    [InlineData("lostPercnt > 1", "the report has no \"lostPercnt\": the nearest names are lostPercent,")]
    [InlineData("LOST > 1", "the report has no \"LOST\": the nearest names are lost,")]
    [InlineData("rows[0].lostPercent > 1", "the report has no \"rows\": the nearest names are lostPercent,")]
    [InlineData("intervals.lost > 1", "intervals is a list: the nearest names are intervals[*].lost,")]
    [InlineData("intervals > 1", "intervals has no single value: the nearest names are intervals[*].")]
    [InlineData("intervals[*].lots > 1", "intervals has no \"lots\": the nearest names are intervals[*].lost,")]
    [InlineData("lostWhere.sokcet > 1", "lostWhere has no \"sokcet\": the nearest name is lostWhere.socket")]
    [InlineData("lostWhere > 1", "lostWhere has no single value: the nearest names are lostWhere.")]
    [InlineData("lost[0] > 1", "lost is not a list")]
    [InlineData("lost.x > 1", "lost has no \"x\"")]
    [InlineData("intervals[x].lost > 1", "the elements of intervals have no names: write [*], [0] or [FIELD=VALUE]")]
    [InlineData("threads[rule=send].cpu > 1", "threads has no \"rule\": the nearest names are threads[*].role,")]
    [InlineData("threads[send.cpu > 1", "expected a ]")]
    [InlineData("threads[].cpu > 1", "expected a value")]
    [InlineData("lost", "quote the whole condition, because a shell interprets < and >")]
    [InlineData("lost = 1", "expected <, <=, >, >=, == or !=, at \"= 1\"")]
    [InlineData("lost >", "expected a value")]
    [InlineData("lost > x", "lost is a number: expected one such as 100, 0.5 or 200k, or null, not \"x\"")]
    [InlineData("lost > 1e3", "lost is a number")]
    [InlineData("lost > 1%", "lost is a number")]
    [InlineData("lost > 5Mbit", "lost is a number")]
    [InlineData("lost > '5'", "lost is a number")]
    [InlineData("lost > 99999999999999999999999999999", "lost is a number")]
    [InlineData("bytes > 79228162514264337593543950335g", "such as 1380, 64k or 4M (k is 1024)")]
    [InlineData("lostPercent > x", "such as 0.1 or 0.1%")]
    [InlineData("lostPercent > 1%%", "such as 0.1 or 0.1%")]
    [InlineData("perStream[*].ended == 1", "ended is a boolean: expected true, false or null, not \"1\"")]
    [InlineData("perStream[*].ended < true", "only numbers are less or greater")]
    [InlineData("lost > null", "only numbers are less or greater")]
    [InlineData("backend > mmsg", "only numbers are less or greater")]
    [InlineData("backend == 'mmsg", "expected a closing quote")]
    [InlineData("lost > 1 && late > 1", "because a condition compares once, at \"&& late > 1\"")]
    [InlineData("lost > 1\n", "lost is a number")]
    [InlineData("threads == 5", "threads has no single value: it can only be compared with null")]
    public void TryParse_Wrong_SaysWhatWasExpected(string text, string expected)
    {
        Assert.False(ReportCondition.TryParse(
            TrafficJson.Default.TrafficReport, text, out var condition, out string? error));

        Assert.Null(condition);
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public void TryParse_FigureOfARow_IsFoundWhereItIs()
    {
        Assert.False(ReportCondition.TryParse(
            BenchJson.Default.BenchReport, "lostPercent > 1", out _, out string? error));

        Assert.Contains("the nearest names are rows[*].lostPercent,", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(typeof(TrafficReport), "sent > 1", "datagrams")]
    [InlineData(typeof(TrafficReport), "packets > 1", "datagrams")]
    [InlineData(typeof(TrafficReport), "bandwidth < 1", "bitsPerSecond")]
    [InlineData(typeof(TrafficReport), "loss > 1", "lost")]
    [InlineData(typeof(TestReport), "sent > 1", "datagrams")]
    [InlineData(typeof(TestReport), "directions[*].sent > 1", "directions[*].datagrams")]
    [InlineData(typeof(ServeReport), "received > 1", "datagrams")]
    [InlineData(typeof(GatewayReport), "sent > 1", "datagrams")]
    [InlineData(typeof(BenchReport), "pps < 1", "rows[*].datagramsPerSecond")]
    public void TryParse_WordForAFigure_NearestIsTheFigure(Type report, string text, string nearest)
    {
        Assert.False(ReportCondition.TryParse(JsonOf(report), text, out _, out string? error));

        Assert.Matches($"the nearest name(s are| is) {Regex.Escape(nearest)}(,|$)", error);
    }

    [Fact]
    public void TryParse_NothingSimilar_SuggestsNoName()
    {
        Assert.False(ReportCondition.TryParse(InfoJson.Default.InfoReport, "sent > 1", out _, out string? error));

        Assert.Equal(
            "the report has no \"sent\", and no name like it: the report that --json - writes has the names", error);
    }

    [Fact]
    public void TryParse_TooLong_IsRefused()
    {
        string text = "backend == " + new string('x', ReportCondition.MaxLength);

        Assert.False(ReportCondition.TryParse(TrafficJson.Default.TrafficReport, text, out _, out string? error));
        Assert.Equal("it has 511 characters: expected at most 500", error);
    }

    [Fact]
    public void TryParse_NameThatIsNotInTheJson_IsUnknown()
    {
        Assert.True(new TrafficReport { Datagrams = 1 }.IsTooShortForRate);
        Assert.False(ReportCondition.TryParse(
            TrafficJson.Default.TrafficReport, "isTooShortForRate == true", out _, out string? error));
        Assert.Contains("the report has no \"isTooShortForRate\"", error, StringComparison.Ordinal);
    }

    /// <summary>Every name of every kind of report is known, and the JSON has what the type tells.</summary>
    [Fact]
    public void TryParse_EveryNameInTheJson_IsKnown()
    {
        var info = InfoReport.Of(HostFacts.Read(), UdpCapabilities.Current, spateVersion: "1.2.3");
        foreach (Report report in (Report[])[info, .. SampleReports.EveryKind()])
        {
            var paths = new List<string>();
            AddPaths(ReportJson.ToElement(report), prefix: "", paths);
            Assert.NotEmpty(paths);
            foreach (string path in paths)
            {
                bool isKnown = ReportCondition.TryParse(
                    report.JsonType, $"{path} != null", out ReportCondition? condition, out string? error);
                Assert.True(isKnown, $"{report.Kind}: {path}: {error}");
                Assert.NotNull(condition!.Judge(ReportJson.ToElement(report)));
            }
        }
    }

    private static JsonTypeInfo JsonOf(Type report) => ((Report)Activator.CreateInstance(report)!).JsonType;

    private static void AddPaths(JsonElement element, string prefix, List<string> paths)
    {
        if (element.ValueKind == JsonValueKind.Object)
        {
            foreach (JsonProperty property in element.EnumerateObject())
            {
                AddPaths(property.Value, prefix.Length == 0 ? property.Name : $"{prefix}.{property.Name}", paths);
            }
        }
        else if (element.ValueKind == JsonValueKind.Array)
        {
            int index = 0;
            foreach (JsonElement inner in element.EnumerateArray()) AddPaths(inner, $"{prefix}[{index++}]", paths);
        }
        else if (element.ValueKind != JsonValueKind.Null)
        {
            paths.Add(prefix);
        }
    }

    private static void AssertJudged(string text, string? expected)
    {
        TrafficReport report = SampleReports.Traffic();
        report.LostPercent = 0.5;
        IReadOnlyList<string> lines = ReportCondition.Judge([Parse<TrafficReport>(text)], report);

        Assert.Equal(expected is null ? [] : [$"{text}: {expected}"], lines);
    }

    private static ReportCondition Parse<T>(string text)
        where T : Report
    {
        Assert.True(ReportCondition.TryParse(JsonOf(typeof(T)), text, out var condition, out string? error), error);
        return condition;
    }
}
