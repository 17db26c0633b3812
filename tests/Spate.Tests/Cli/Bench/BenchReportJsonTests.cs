using System.Text.Json;
using Spate.Measurement.Reports;
using Spate.Tests.Measurement.Reports;

namespace Spate.Tests.Cli.Bench;

public sealed class BenchReportJsonTests
{
    [Fact]
    public void Serialize_BenchRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = ReportJsonTests.Parse(ReportJson.Serialize(SampleReports.Bench()));

        Assert.Equal("bench", json.GetProperty("kind").GetString());
        Assert.Equal(
            [
                "name", "sizeBytes", "datagramsPerSecond", "bitsPerSecond", "lostPercent",
                "sendNanosecondsPerDatagram", "receiveNanosecondsPerDatagram", "allocatedBytesPerDatagram",
                "gen0Collections", "datagramsPerCall", "spreadPercent", "samples",
            ],
            ReportJsonTests.NamesOf(json.GetProperty("rows")[0]));
        Assert.Equal(
            [.. ReportJsonTests.EveryReportFields, "rounds", "interrupted", "seconds", "rows", "limits", "cores"],
            ReportJsonTests.NamesOf(json));
    }

    [Fact]
    public void Serialize_DrainRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = ReportJsonTests.Parse(ReportJson.Serialize(SampleReports.Drain(), indented: false));

        Assert.Equal("drain", json.GetProperty("kind").GetString());
        Assert.Equal(
            ["name", "sizeBytes", "receiveNanosecondsPerDatagram", "sendNanosecondsPerDatagram", "samples"],
            ReportJsonTests.NamesOf(json.GetProperty("rows")[0]));
        Assert.Equal("[12.5,11,10]", json.GetProperty("rows")[0].GetProperty("samples").GetRawText());
    }

    [Fact]
    public void Serialize_PingPongRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = ReportJsonTests.Parse(ReportJson.Serialize(SampleReports.PingPong()));

        Assert.Equal("pingpong", json.GetProperty("kind").GetString());
        Assert.Equal(
            [
                "mode", "p50Microseconds", "p99Microseconds", "p999Microseconds", "spreadPercent", "cpuPercent",
                "serverCpuPercent", "pings", "lost", "samples",
            ],
            ReportJsonTests.NamesOf(json.GetProperty("rows")[0]));
        Assert.Equal(["design", "threadCount", "cpuPercent"], ReportJsonTests.NamesOf(json.GetProperty("idle")[0]));
    }

    [Fact]
    public void Serialize_RelayRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = ReportJsonTests.Parse(ReportJson.Serialize(SampleReports.Relay()));

        Assert.Equal("relay", json.GetProperty("kind").GetString());
        Assert.Equal(
            [
                "name", "trains", "datagramsPerSecond", "sentPerSecond", "lostPercent", "reordered",
                "cpuPercentOfOneCore", "spreadPercent", "timesLessThanSocketAsync", "samples",
            ],
            ReportJsonTests.NamesOf(json.GetProperty("rows")[0]));
    }

    [Fact]
    public void Serialize_DesignRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = ReportJsonTests.Parse(ReportJson.Serialize(SampleReports.Designs()));

        Assert.Equal("designs", json.GetProperty("kind").GetString());
        JsonElement row = json.GetProperty("rows")[0];
        Assert.Equal(
            [
                "design", "workRounds", "threadCount", "datagramsPerSecond", "processedPercent",
                "nanosecondsPerDatagram", "allocatedBytesPerDatagram", "interruptsPerSecond", "lockedBytes",
                "nonPagedPoolBytes", "threads", "spreadPercent", "samples",
            ],
            ReportJsonTests.NamesOf(row));
        Assert.Equal(
            [
                "datagrams", "calls", "leastPerCall", "meanPerCall", "mostPerCall", "cpuNanoseconds",
                "userNanoseconds", "systemNanoseconds", "voluntarySwitches", "involuntarySwitches",
                "cycles", "systemThreadId", "allowedCpuList",
            ],
            ReportJsonTests.NamesOf(row.GetProperty("threads")[0]));
        Assert.Equal(JsonValueKind.Null, row.GetProperty("interruptsPerSecond").ValueKind);
    }

    [Fact]
    public void Serialize_SocketsRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = ReportJsonTests.Parse(ReportJson.Serialize(SampleReports.Sockets()));

        Assert.Equal(
            [
                "sockets", "mode", "queued", "sizeBytes", "receiveNanosecondsPerDatagram", "spreadPercent", "samples",
            ],
            ReportJsonTests.NamesOf(json.GetProperty("rows")[0]));
        Assert.Equal(
            [.. ReportJsonTests.EveryReportFields, "rounds", "interrupted", "rows", "limits", "cores"],
            ReportJsonTests.NamesOf(json));
    }

    [Fact]
    public void Serialize_SessionsRow_HasExactlyTheFieldsOfTheFormat()
    {
        JsonElement json = ReportJsonTests.Parse(ReportJson.Serialize(SampleReports.Sessions()));

        Assert.Equal(
            [
                "peers", "pattern", "sizeBytes", "nanosecondsPerDatagram", "tableNanosecondsPerDatagram",
                "timesOneSession", "spreadPercent", "samples",
            ],
            ReportJsonTests.NamesOf(json.GetProperty("rows")[0]));
        Assert.Equal(
            [
                .. ReportJsonTests.EveryReportFields, "rounds", "interrupted", "rows", "agingPeers",
                "agingPassMicroseconds", "agingPassSeenMicroseconds", "agingPasses", "tableBytes", "limits", "cores",
            ],
            ReportJsonTests.NamesOf(json));
    }
}
