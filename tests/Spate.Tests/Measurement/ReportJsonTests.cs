using System.Text;
using System.Text.Json;
using Spate.Measurement;

namespace Spate.Tests.Measurement;

public sealed class ReportJsonTests
{
    private static readonly string[] _everyReportFields =
    [
        "schema", "kind", "kernel", "runtime", "cpus", "threads", "backend", "offloads", "flows", "ports",
        "bufferAskedBytes", "bufferGrantedBytes", "demotions", "residentBytes", "residentPeakBytes",
    ];

    [Fact]
    public void Serialize_TrafficReport_HasEveryFieldOfTheFormat()
    {
        JsonElement json = Parse(ReportJson.Serialize(Traffic()));

        Assert.Equal("spate/1", json.GetProperty("schema").GetString());
        Assert.Equal("receive", json.GetProperty("kind").GetString());
        string[] names = NamesOf(json);
        Assert.Equal(_everyReportFields, names[.._everyReportFields.Length]);
        string[] promised =
        [
            "datagrams", "bytes", "seconds", "datagramsPerSecond", "bitsPerSecond", "lost", "cpuUserSeconds",
            "cpuSystemSeconds", "allocatedBytes", "gen0Collections", "residentBytes", "residentPeakBytes", "calls",
            "backend", "offloads", "bufferAskedBytes", "bufferGrantedBytes", "sizeBytes", "flows", "ports",
            "demotions", "duplicated", "reordered", "streams", "intervals",
        ];
        Assert.Empty(promised.Except(names, StringComparer.Ordinal));
        Assert.Equal(500, json.GetProperty("datagramsPerSecond").GetDouble());
        Assert.Equal(400_000, json.GetProperty("bitsPerSecond").GetDouble());
        Assert.Equal(3, json.GetProperty("threads")[0].GetProperty("cpu").GetInt32());
        Assert.Equal("00000000deadbeef", json.GetProperty("perStream")[0].GetProperty("streamId").GetString());
    }

    [Fact]
    public void Serialize_Sender_UnknownFieldsAreNullNotMissing()
    {
        JsonElement json = Parse(ReportJson.Serialize(new TrafficReport { Kind = TrafficReport.SendKind }));

        Assert.Equal(JsonValueKind.Null, json.GetProperty("lost").ValueKind);
        Assert.Equal(JsonValueKind.Null, json.GetProperty("sizeBytes").ValueKind);
        Assert.Equal(0, json.GetProperty("datagramsPerSecond").GetDouble());
    }

    [Theory]
    [InlineData(64, 0, null, true)]
    [InlineData(64, 0.000_5, 128_000.0, true)]
    [InlineData(64, 0.001, 64_000.0, false)]
    [InlineData(64, 2, 32.0, false)]
    [InlineData(0, 0, 0.0, false)]
    [InlineData(0, 5, 0.0, false)]
    public void Serialize_ShortRun_RateIsToldAsFarAsThereIsOne(
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

    [Fact]
    public void Serialize_BenchRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = Parse(ReportJson.Serialize(Bench()));

        Assert.Equal("bench", json.GetProperty("kind").GetString());
        Assert.Equal(
            [
                "name", "sizeBytes", "datagramsPerSecond", "bitsPerSecond", "lostPercent",
                "sendNanosecondsPerDatagram", "receiveNanosecondsPerDatagram", "allocatedBytesPerDatagram",
                "gen0Collections", "datagramsPerCall", "spreadPercent",
            ],
            NamesOf(json.GetProperty("rows")[0]));
        Assert.Equal([.. _everyReportFields, "rounds", "seconds", "rows"], NamesOf(json));
    }

    [Fact]
    public void Serialize_DrainRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = Parse(ReportJson.Serialize(Drain(), indented: false));

        Assert.Equal("drain", json.GetProperty("kind").GetString());
        Assert.Equal(
            ["name", "sizeBytes", "receiveNanosecondsPerDatagram", "sendNanosecondsPerDatagram"],
            NamesOf(json.GetProperty("rows")[0]));
    }

    [Fact]
    public void Serialize_PingPongRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = Parse(ReportJson.Serialize(PingPong()));

        Assert.Equal("pingpong", json.GetProperty("kind").GetString());
        Assert.Equal(
            [
                "mode", "p50Microseconds", "p99Microseconds", "p999Microseconds", "spreadPercent", "cpuPercent",
                "serverCpuPercent", "pings", "lost",
            ],
            NamesOf(json.GetProperty("rows")[0]));
        Assert.Equal(["design", "threadCount", "cpuPercent"], NamesOf(json.GetProperty("idle")[0]));
    }

    [Fact]
    public void Serialize_RelayRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = Parse(ReportJson.Serialize(Relay()));

        Assert.Equal("relay", json.GetProperty("kind").GetString());
        Assert.Equal(
            [
                "name", "trains", "datagramsPerSecond", "sentPerSecond", "lostPercent", "reordered",
                "cpuPercentOfOneCore", "spreadPercent", "timesLessThanSocketAsync",
            ],
            NamesOf(json.GetProperty("rows")[0]));
    }

    [Fact]
    public void Serialize_DesignRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = Parse(ReportJson.Serialize(Designs()));

        Assert.Equal("designs", json.GetProperty("kind").GetString());
        JsonElement row = json.GetProperty("rows")[0];
        Assert.Equal(
            [
                "design", "workRounds", "threadCount", "datagramsPerSecond", "processedPercent",
                "nanosecondsPerDatagram", "allocatedBytesPerDatagram", "interruptsPerSecond", "lockedBytes", "threads",
                "spreadPercent",
            ],
            NamesOf(row));
        Assert.Equal(
            [
                "datagrams", "calls", "leastPerCall", "meanPerCall", "mostPerCall", "voluntarySwitches",
                "involuntarySwitches",
            ],
            NamesOf(row.GetProperty("threads")[0]));
        Assert.Equal(JsonValueKind.Null, row.GetProperty("interruptsPerSecond").ValueKind);
    }

    [Fact]
    public void TryRead_EveryKindWritten_GivesItBack()
    {
        foreach (Report report in new Report[] { Traffic(), Bench(), Drain(), Designs(), PingPong(), Relay() })
        {
            foreach (bool indented in new[] { true, false })
            {
                using var stream = new MemoryStream();
                ReportJson.Write(stream, report, indented);
                byte[] utf8 = stream.ToArray();

                Assert.True(ReportJson.TryRead(utf8, out Report? read, out string? error), error);
                Assert.IsType(report.GetType(), read);
                Assert.Equal(ReportJson.Serialize(report), ReportJson.Serialize(read));
                Assert.Equal(indented ? '}' : '\n', (char)utf8[indented ? ^2 : ^1]);
                Assert.Equal(indented, utf8.AsSpan(0, utf8.Length - 1).Contains((byte)'\n'));
            }
        }
    }

    [Fact]
    public void TryRead_NewerFieldsAndByteOrderMark_AreAccepted()
    {
        byte[] utf8 = [0xEF, 0xBB, 0xBF, .. """{"schema":"spate/1","kind":"send","later":[1],"datagrams":7}"""u8];

        Assert.True(ReportJson.TryRead(utf8, out Report? report, out _));
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
    [InlineData("""{"schema":"spate/1","kind":"send","datagrams":1e99}""")]
    [InlineData("""{"schema":"spate/1","kind":"send","kernel":"\ud800"}""")]
    public void TryRead_NotAReport_SaysSoInOnePrintableLine(string json)
    {
        Assert.False(ReportJson.TryRead(Encoding.UTF8.GetBytes(json), out Report? report, out string? error));
        Assert.Null(report);
        Assert.False(string.IsNullOrWhiteSpace(error));
        Assert.All(error, static c => Assert.True(c is >= ' ' and not '\x7F'));
        Assert.True(error.Length < 200);
    }

    [Fact]
    public void TryRead_EndlessNames_AreCutShort()
    {
        string json = $$"""{"schema":"{{new string('x', 100_000)}}"}""";

        Assert.False(ReportJson.TryRead(Encoding.UTF8.GetBytes(json), out _, out string? error));
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
    }

    private static TrafficReport Traffic() => new()
    {
        Kind = TrafficReport.ReceiveKind,
        Backend = "mmsg",
        Offloads = ["gro"],
        Flows = 2,
        Ports = [9999],
        SizeBytes = 100,
        Datagrams = 1000,
        Bytes = 100_000,
        Seconds = 2,
        Lost = 5,
        KernelDrops = 4,
        KernelDropUnit = "coalesced buffers",
        Threads = [new ThreadReport { Role = "receive", Cpu = 3, Node = 0, CpuNanoseconds = 12 }],
        Intervals = [new IntervalReport { Seconds = 1, Datagrams = 500, Bytes = 50_000, Lost = -1, CpuPercent = 9.5 }],
        PerStream = [new StreamReport { StreamId = "00000000deadbeef", Datagrams = 1000, Ended = true }],
    };

    private static BenchReport Bench() => new()
    {
        Rounds = 9,
        Rows =
        [
            new BenchRow
            {
                Name = "spate-mmsg",
                SizeBytes = 1380,
                DatagramsPerSecond = 1.5e6,
                BitsPerSecond = 1.656e10,
                LostPercent = 0.1,
                SendNanosecondsPerDatagram = 600,
                ReceiveNanosecondsPerDatagram = null,
                AllocatedBytesPerDatagram = 0,
                Gen0Collections = 0,
                DatagramsPerCall = 31.5,
                SpreadPercent = 4.2,
            },
        ],
    };

    private static DrainReport Drain() => new()
    {
        Rounds = 5,
        Rows =
        [
            new DrainRow
            {
                Name = "spate-mmsg-gso-gro",
                SizeBytes = 64,
                ReceiveNanosecondsPerDatagram = 11,
                SendNanosecondsPerDatagram = 20,
            },
        ],
    };

    private static PingPongReport PingPong() => new()
    {
        SizeBytes = 64,
        Rounds = 7,
        Rows =
        [
            new PingPongRow
            {
                Mode = "spinning", P50Microseconds = 4.5, P99Microseconds = 9, P999Microseconds = 40, Pings = 1000,
            },
        ],
        Idle = [new IdleRow { Design = "reader-workers", ThreadCount = 2, CpuPercent = 0.1 }],
    };

    private static RelayReport Relay() => new()
    {
        SizeBytes = 32,
        AskedDatagramsPerSecond = 100_000,
        Rows =
        [
            new RelayRow
            {
                Name = "spate", Trains = true, DatagramsPerSecond = 1e5, LostPercent = 0, CpuPercentOfOneCore = 17.5,
            },
        ],
    };

    private static DesignsReport Designs() => new()
    {
        Rounds = 5,
        SizeBytes = 1024,
        DatagramsPerRound = 1_000_000,
        Notes = ["one-by-one, work 500, 8 threads: 3 of 5 were not handled"],
        Rows =
        [
            new DesignRow
            {
                Design = "one-by-one",
                WorkRounds = 500,
                ThreadCount = 8,
                DatagramsPerSecond = 384_000,
                ProcessedPercent = 99,
                NanosecondsPerDatagram = 3700.5,
                AllocatedBytesPerDatagram = 0.001,
                InterruptsPerSecond = null,
                LockedBytes = 0,
                SpreadPercent = 7,
                Threads =
                [
                    new DesignThreadRow
                    {
                        Datagrams = 10,
                        Calls = 4,
                        LeastPerCall = 1,
                        MeanPerCall = 2.5,
                        MostPerCall = 5,
                        VoluntarySwitches = 3,
                        InvoluntarySwitches = null,
                    },
                ],
            },
        ],
    };

    private static JsonElement Parse(string json)
    {
        using var document = JsonDocument.Parse(json);
        return document.RootElement.Clone();
    }

    private static string[] NamesOf(JsonElement json) =>
        [.. json.EnumerateObject().Select(static property => property.Name)];
}
