using System.Text;
using System.Text.Json;
using Spate.Cli;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Info;
using Spate.HostTuning.Reading;
using Spate.Measurement.Counting;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using Spate.Tests.Measurement.Counting;

namespace Spate.Tests.Measurement.Reports;

public sealed class ReportJsonTests
{
    internal static readonly string[] EveryReportFields =
    [
        "schema", "kind", "kernel", "cpuModel", "runtime", "cpus", "threads", "backend", "offloads", "flows", "ports",
        "bufferAskedBytes", "bufferGrantedBytes", "demotions", "residentBytes", "residentPeakBytes", "limitCpu",
        "limitCause", "limit", "throttledSeconds", "links",
    ];

    [Fact]
    public void Serialize_TrafficReport_HasEveryFieldOfTheFormat()
    {
        JsonElement json = Parse(ReportJson.Serialize(SampleReports.Traffic()));

        Assert.Equal("spate/1", json.GetProperty("schema").GetString());
        Assert.Equal("receive", json.GetProperty("kind").GetString());
        string[] names = NamesOf(json);
        Assert.Equal(EveryReportFields, names[..EveryReportFields.Length]);
        string[] promised =
        [
            "datagrams", "bytes", "seconds", "datagramsPerSecond", "bitsPerSecond", "lost", "cpuUserSeconds",
            "cpuSystemSeconds", "allocatedBytes", "gen0Collections", "residentBytes", "residentPeakBytes", "calls",
            "backend", "offloads", "bufferAskedBytes", "bufferGrantedBytes", "sizeBytes", "flows", "ports",
            "demotions", "duplicated", "reordered", "streams", "intervals", "unique", "afterDeadline", "corrupted",
            "unknownDatagrams", "delayVariation", "lossBursts", "lossGaps", "reorderExtent",
        ];
        Assert.Empty(promised.Except(names, StringComparer.Ordinal));
        Assert.Equal(500, json.GetProperty("datagramsPerSecond").GetDouble());
        Assert.Equal(400_000, json.GetProperty("bitsPerSecond").GetDouble());
        Assert.Equal(3, json.GetProperty("delayVariation").GetProperty("p99Microseconds").GetDouble());
        Assert.Equal(1.5, json.GetProperty("delayVariation").GetProperty("driftPartsPerMillion").GetDouble());
        Assert.Equal(2, json.GetProperty("lossBursts").GetProperty("countsByPowerOfTwo")[1].GetInt64());
        Assert.Equal(3, json.GetProperty("threads")[0].GetProperty("cpu").GetInt32());
        Assert.Equal("00000000deadbeef", json.GetProperty("perStream")[0].GetProperty("streamId").GetString());
    }

    [Fact]
    public void Serialize_Sender_UnknownFieldsAreNullNotMissing()
    {
        JsonElement json = Parse(ReportJson.Serialize(new TrafficReport { Kind = TrafficReport.SendKind }));

        Assert.Equal(JsonValueKind.Null, json.GetProperty("lost").ValueKind);
        Assert.Equal(JsonValueKind.Null, json.GetProperty("sizeBytes").ValueKind);
        Assert.Equal(JsonValueKind.Null, json.GetProperty("corrupted").ValueKind);
        Assert.Equal(JsonValueKind.Null, json.GetProperty("lossBursts").ValueKind);
        Assert.Equal(0, json.GetProperty("datagramsPerSecond").GetDouble());
    }

    [Theory]
    [InlineData(64, 0, null, true)]
    [InlineData(64, 0.000_5, null, true)]
    [InlineData(64, 0.000_999, null, true)]
    [InlineData(64, 0.001, 64_000.0, false)]
    [InlineData(64, 2, 32.0, false)]
    [InlineData(0, 0, 0.0, false)]
    [InlineData(0, 5, 0.0, false)]
    public void Serialize_ShortRun_HasARateFromAMillisecondOn(
        long datagrams, double seconds, double? expected, bool isTooShort)
    {
        var report = new TrafficReport
        {
            Kind = TrafficReport.ReceiveKind,
            Datagrams = datagrams,
            Bytes = 2 * datagrams,
            Seconds = seconds,
        };
        JsonElement json = Parse(ReportJson.Serialize(report));

        Assert.Equal(expected, json.GetProperty("datagramsPerSecond").Deserialize<double?>());
        Assert.Equal(16 * expected, json.GetProperty("bitsPerSecond").Deserialize<double?>());
        Assert.Equal(isTooShort, report.IsTooShortForRate);
    }

    [Theory]
    [InlineData(64, 0, null)]
    [InlineData(64, 0.049, null)]
    [InlineData(64, 0.05, 1280.0)]
    [InlineData(0, 0.01, 0.0)]
    public void Serialize_ShortInterval_HasARateFromFiftyMillisecondsOn(
        long datagrams, double seconds, double? expected)
    {
        var report = new TrafficReport
        {
            Kind = TrafficReport.SendKind,
            Intervals = [new IntervalReport { Datagrams = datagrams, Bytes = 2 * datagrams, Seconds = seconds }],
        };
        JsonElement json = Parse(ReportJson.Serialize(report)).GetProperty("intervals")[0];

        Assert.Equal(expected, json.GetProperty("datagramsPerSecond").Deserialize<double?>());
        Assert.Equal(16 * expected, json.GetProperty("bitsPerSecond").Deserialize<double?>());
    }

    [Fact]
    public void TryRead_RowOfAnOlderVersion_HasNoSamples()
    {
        byte[] utf8 = [.. """
            {"schema":"spate/1","kind":"drain","rows":[{"name":"a","sizeBytes":64,
            "receiveNanosecondsPerDatagram":1,"sendNanosecondsPerDatagram":2}]}
            """u8];

        Assert.True(ReportKinds.Reader.TryRead(utf8, out Report? report, out string? error), error);
        Assert.Empty(Assert.Single(Assert.IsType<DrainReport>(report).Rows).Samples);
    }

    [Fact]
    public void TryRead_EveryKindWritten_GivesItBack()
    {
        foreach (Report report in SampleReports.EveryKind())
        {
            foreach (bool indented in new[] { true, false })
            {
                using var stream = new MemoryStream();
                ReportJson.Write(stream, report, indented);
                byte[] utf8 = stream.ToArray();

                Assert.True(ReportKinds.Reader.TryRead(utf8, out Report? read, out string? error), error);
                Assert.IsType(report.GetType(), read);
                Assert.Equal(ReportJson.Serialize(report), ReportJson.Serialize(read));
                Assert.Equal(indented ? '}' : '\n', (char)utf8[indented ? ^2 : ^1]);
                Assert.Equal(indented, utf8.AsSpan(0, utf8.Length - 1).Contains((byte)'\n'));
            }
        }
    }

    [Fact]
    public void TryRead_InfoOfThisHost_GivesItBack()
    {
        var report = InfoReport.Of(HostFacts.Read(), UdpCapabilities.Current, spateVersion: "1.2.3");
        string json = ReportJson.Serialize(report);

        Assert.True(
            ReportKinds.Reader.TryRead(Encoding.UTF8.GetBytes(json), out Report? read, out string? error), error);
        Assert.Equal("1.2.3", Assert.IsType<InfoReport>(read).SpateVersion);
        Assert.Equal(json, ReportJson.Serialize(read));
        Assert.Contains("\"available\":", json, StringComparison.Ordinal);
    }

    [Fact]
    public void TryRead_NewerFieldsAndByteOrderMark_AreAccepted()
    {
        byte[] utf8 = [0xEF, 0xBB, 0xBF, .. """{"schema":"spate/1","kind":"send","later":[1],"datagrams":7}"""u8];

        Assert.True(ReportKinds.Reader.TryRead(utf8, out Report? report, out _));
        Assert.Equal(7, Assert.IsType<TrafficReport>(report).Datagrams);
        Assert.Empty(Assert.IsType<TrafficReport>(report).Intervals);
    }

    [Theory]
    [InlineData("")]
    [InlineData("[]")]
    [InlineData("7")]
    [InlineData("{")]
    [InlineData("{}")]
    [InlineData("""{"schema":1}""")]
    [InlineData("""{"schema":"spate/2","kind":"bench"}""")]
    [InlineData("""{"schema":"spate/1"}""")]
    [InlineData("""{"schema":"spate/1","kind":"\u001b[31m"}""")]
    [InlineData("""{"schema":"spate/1","kind":"\ud800"}""")]
    [InlineData("""{"schema":"spate/1","kind":"bench"} {}""")]
    [InlineData("""{"schema":"spate/1","kind":"bench","rows":null}""")]
    [InlineData("""{"schema":"spate/1","kind":"bench","rows":[{}]}""")]
    [InlineData("""{"schema":"spate/1","kind":"bench","rows":[null]}""")]
    [InlineData("""{"schema":"spate/1","kind":"test","directions":[null]}""")]
    [InlineData("""{"schema":"spate/1","kind":"test","local":{"sent":{"threads":[null]}}}""")]
    [InlineData("""{"schema":"spate/1","kind":"send","datagrams":NaN}""")]
    [InlineData("""{"schema":"spate/1","kind":"send","seconds":"Infinity"}""")]
    [InlineData("""{"schema":"spate/1","kind":"send","datagrams":1""")]
    [InlineData("\0\u0001\u0002")]
    [InlineData("""{"schema":"spate/1","kind":"send","datagrams":1e99}""")]
    [InlineData("""{"schema":"spate/1","kind":"send","kernel":"\ud800"}""")]
    public void TryRead_NotAReport_SaysSoInOnePrintableLine(string json)
    {
        Assert.False(ReportKinds.Reader.TryRead(Encoding.UTF8.GetBytes(json), out Report? report, out string? error));
        Assert.Null(report);
        Assert.False(string.IsNullOrWhiteSpace(error));
        Assert.All(error, static c => Assert.True(c is >= ' ' and not '\x7F'));
        Assert.True(error.Length < 200);
    }

    [Theory]
    [InlineData("null", "[null]")]
    [InlineData("too large", "[1e999]")]
    [InlineData("too large", "[-1e999]")]
    public void TryRead_ValueThatNoReportHas_IsRefusedWithItsLine(string expected, string value)
    {
        string json = $$"""
            {"schema":"spate/1","kind":"drain",
            "later":{{value}}}
            """;

        Assert.False(ReportKinds.Reader.TryRead(Encoding.UTF8.GetBytes(json), out _, out string? error));
        Assert.Contains("line 2", error, StringComparison.Ordinal);
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public void TryRead_WrongType_NamesTheFieldAndItsLine()
    {
        byte[] utf8 = [.. """
            {"schema":"spate/1","kind":"send",

            "datagrams":"many"}
            """u8];

        Assert.False(ReportKinds.Reader.TryRead(utf8, out _, out string? error));
        Assert.StartsWith("field \"$.datagrams\" in line 3 is of another type", error, StringComparison.Ordinal);
    }

    [Fact]
    public void TryRead_ReportWithoutItsHost_DoesNotTakeThisOne()
    {
        Assert.True(ReportKinds.Reader.TryRead("""{"schema":"spate/1","kind":"send"}"""u8, out Report? report, out _));

        var read = Assert.IsType<TrafficReport>(report);
        Assert.Equal(("unknown", "unknown", 0), (read.Kernel, read.Runtime, read.Cpus));
    }

    [Fact]
    public void TryReadFigures_LongRun_HasItsFiguresWithoutItsCourse()
    {
        // More intervals than the bound on objects: an honest long run is not refused.
        TrafficReport run = SampleReports.Traffic();
        run.Intervals = [.. Enumerable.Repeat(run.Intervals[0], ReportProbe.MaxObjects + 1)];
        run.Cores = [new CpuReport()];
        byte[] utf8 = Encoding.UTF8.GetBytes(ReportJson.Serialize(run));

        Assert.True(ReportKinds.Reader.TryReadFigures(utf8, out Report? report, out string? error), error);
        var read = Assert.IsType<TrafficReport>(report);
        Assert.Empty(read.Intervals);
        Assert.Empty(read.PerStream);
        Assert.Empty(read.Cores);
        Assert.Equal((1000, "receive"), (read.Datagrams, Assert.Single(read.Threads).Role));
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(1, false)]
    public void TryReadFigures_TooManyObjects_IsRefused(int more, bool isRead)
    {
        // The report itself and the list are two.
        string objects = string.Join(',', Enumerable.Repeat("{}", ReportProbe.MaxObjects - 2 + more));
        string json = $$"""{"schema":"spate/1","kind":"drain","later":[{{objects}}]}""";

        Assert.Equal(isRead, ReportKinds.Reader.TryReadFigures(Encoding.UTF8.GetBytes(json), out _, out string? error));
        Assert.Equal(isRead ? null : "it has more than 65536 objects and lists", error);
    }

    [Fact]
    public void TryRead_EndlessNames_AreCutShort()
    {
        string json = $$"""{"schema":"{{new string('x', 100_000)}}"}""";

        Assert.False(ReportKinds.Reader.TryRead(Encoding.UTF8.GetBytes(json), out _, out string? error));
        Assert.True(error.Length < 200);
    }

    [Fact]
    public void SetTotals_ReceiversTable_FillsTheLossFields()
    {
        var table = new StreamTable();
        var payload = new byte[TestDatagram.HeaderBytes];
        TestDatagram.WriteData(payload, 0xDEADBEEF, 2);
        table.Add(payload);
        TestDatagram.WriteEnd(payload, 0xDEADBEEF, 4);
        table.Add(payload);
        var report = new TrafficReport { Kind = TrafficReport.ReceiveKind };

        report.SetTotals(table.Totals);
        StreamReport stream = StreamReport.From(table.Streams[0]);

        Assert.Equal(1, report.Lost);
        Assert.Equal(50, report.LostPercent);
        Assert.Equal(2, report.MissedBeforeFirst);
        Assert.Equal(1, report.Streams);
        Assert.Equal("00000000deadbeef", stream.StreamId);
        Assert.True(stream.Ended);
        Assert.Equal(24, stream.Bytes);
        Assert.Equal((1, 1), (report.Unique, stream.Unique));
    }

    internal static JsonElement Parse(string json)
    {
        using var document = JsonDocument.Parse(json);
        return document.RootElement.Clone();
    }

    internal static string[] NamesOf(JsonElement json) =>
        [.. json.EnumerateObject().Select(static property => property.Name)];
}
