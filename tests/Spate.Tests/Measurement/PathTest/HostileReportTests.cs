using System.Globalization;
using System.Text;
using System.Text.Json;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>What a server's report can hold that its types cannot rule out, and random input to the readers.</summary>
public sealed class HostileReportTests
{
    private static int CaseCount => TestWidth.Of(40_000, full: 200_000);

    [Theory]
    [InlineData("{}", true)]
    [InlineData("""{"sent":{"threads":[null]}}""", false)]
    [InlineData("""{"received":{"intervals":[null]}}""", false)]
    [InlineData("""{"received":{"perStream":[null]}}""", false)]
    [InlineData("""{"received":{"offloads":[null]}}""", false)]
    [InlineData("""{"received":{"cores":[null]}}""", false)]
    [InlineData("""{"received":{"links":[null]}}""", false)]
    [InlineData("""{"received":{"cores":[{"roles":[null]}]}}""", false)]
    [InlineData("""{"sent":{"intervals":[{"cores":[null]}]}}""", false)]
    [InlineData("""{"sent":{"intervals":[{"threads":[null]}]}}""", false)]
    [InlineData("""{"sent":{"intervals":[{"cores":[{"cpu":-5}],"threads":[{}]}],"cores":[{}]}}""", true)]
    [InlineData("""{"host":{"counters":{"interfaces":[null]}}}""", false)]
    [InlineData("""{"host":{"counters":{"queues":[null]}}}""", false)]
    [InlineData("""{"host":{"counters":{}}}""", false)]
    [InlineData("""{"host":{"interfaces":[null]}}""", false)]
    [InlineData("""{"host":{"counters":{"interfaces":[],"queues":[]}}}""", true)]
    public void Report_WithNulls_IsNotWhole(string json, bool isWhole) => Assert.Equal(
        isWhole, JsonSerializer.Deserialize(json, SessionJson.Default.TestEndReport)!.IsWhole);

    [Theory]
    [InlineData("{}", true)]
    [InlineData("null", false)]
    [InlineData("{", false)]
    [InlineData("{\"refusedBecause\":\"\\ud800\"}", false)]
    [InlineData("{\"sent\":{\"seconds\":1e400}}", false)]
    [InlineData("{\"later\":-1e400}", false)]
    [InlineData("{\"sent\":{\"offloads\":[null]}}", false)]
    public void Read_WhatThisProgramWouldNotWrite_IsRefused(string json, bool isRead) =>
        Assert.Equal(isRead, TestEndReport.Read(Encoding.UTF8.GetBytes(json)) is not null);

    [Theory]
    [InlineData("{},", false)]
    [InlineData("[],", false)]
    [InlineData("1,", true)]
    public void Read_ListOfManyObjects_IsRefused(string element, bool isRead)
    {
        string list = string.Concat(Enumerable.Repeat(element, ReportProbe.MaxObjects)).TrimEnd(',');

        Assert.Equal(isRead, TestEndReport.Read(Encoding.UTF8.GetBytes($"{{\"x\":[{list}]}}")) is not null);
    }

    [Theory]
    [InlineData("\"interfaces\":[{0}]", "\"a\"", 256)]
    [InlineData("\"counters\":{{\"queues\":[],\"interfaces\":[{0}]}}", "{}", 256)]
    [InlineData("\"counters\":{{\"interfaces\":[],\"queues\":[{0}]}}", "{}", 1024)]
    public void Report_ListsLongerThanThisProgramWrites_AreNotWhole(string host, string element, int maxCount)
    {
        Assert.True(Read(maxCount).IsWhole);
        Assert.False(Read(maxCount + 1).IsWhole);

        TestEndReport Read(int count)
        {
            string elements = string.Join(',', Enumerable.Repeat(element, count));
            string filled = string.Format(CultureInfo.InvariantCulture, host, elements);
            return JsonSerializer.Deserialize($"{{\"host\":{{{filled}}}}}", SessionJson.Default.TestEndReport)!;
        }
    }

    [Fact]
    public void Report_LargestNumbersInBothDirections_StopAtTheLargest()
    {
        var largest = new TestDirectionReport
        {
            Datagrams = long.MaxValue,
            Unique = long.MaxValue,
            Lost = long.MaxValue,
            Refused = long.MaxValue,
            Skipped = long.MaxValue,
            Unexplained = long.MaxValue,
        };
        var report = new TestReport { Directions = [largest, largest] };

        Assert.Equal(
            (long.MaxValue, long.MaxValue, long.MaxValue, long.MaxValue),
            (report.Datagrams, report.Unique, report.Lost, report.Unexplained));
        Assert.Contains("\"lostPercent\": 100", ReportJson.Serialize(report), StringComparison.Ordinal);
    }

    [Fact]
    public void Readers_AtRandom_ThrowNothing()
    {
        Random random = RandomCase.Create();
        byte[] valid = new TestParameters { Label = "x", Cpus = [1, 2], Seconds = 1 }.ToJson();
        byte[] payload = new byte[ControlMessage.MaxBytes + 8];
        for (int i = 0; i < CaseCount; i++)
        {
            Span<byte> some = payload.AsSpan(0, random.Next(payload.Length));
            random.NextBytes(some);
            if (ControlMessage.TryRead(some, out ControlMessage message))
            {
                Assert.InRange(message.Number, 0, long.MaxValue);
            }

            _ = Heartbeat.TryRead(some, out _);
            byte[] changed = [.. valid];
            changed[random.Next(changed.Length)] = (byte)random.Next(256);
            if (TestParameters.TryRead(changed, out TestParameters? parameters)) _ = parameters.FindFault();
        }
    }

    [Theory]
    [InlineData("null")]
    [InlineData("[]")]
    [InlineData("{\"flows\":1e9}")]
    [InlineData("{\"label\":null}")]
    [InlineData("{\"cpus\":null}")]
    [InlineData("{\"direction\":7}")]
    [InlineData("{\"flows\":65}")]
    [InlineData("{\"flows\":0}")]
    [InlineData("{\"sizeBytes\":23}")]
    [InlineData("{\"datagramsPerSecond\":0.5}")]
    [InlineData("{\"seconds\":-1}")]
    [InlineData("{\"seconds\":1e-9}")]
    [InlineData("{\"intervalSeconds\":0.001}")]
    [InlineData("{\"bufferBytes\":0}")]
    [InlineData("{\"trafficClass\":256}")]
    [InlineData("{\"cpus\":[-1]}")]
    public void Parameters_OutOfRange_AreRefused(string json) => Assert.False(
        TestParameters.TryRead(Encoding.UTF8.GetBytes(json), out TestParameters? parameters)
        && parameters.FindFault() is null);

    [Fact]
    public void Parameters_LeftOut_HaveTheirDefaults()
    {
        Assert.True(TestParameters.TryRead("{}"u8, out TestParameters? read));

        Assert.Equal(new TestParameters { Cpus = read.Cpus }, read);
        Assert.Empty(read.Cpus);
        Assert.Null(read.FindFault());
    }

    [Fact]
    public void Parameters_Written_AreReadBack()
    {
        var parameters = new TestParameters
        {
            Direction = TestDirection.Both,
            Flows = 3,
            Label = "näme",
            Seconds = 2.5,
            SegmentedSend = false,
            CoalescedReceive = false,
            IntervalSeconds = 0,
        };

        Assert.True(TestParameters.TryRead(parameters.ToJson(), out TestParameters? read));

        Assert.Equal(parameters with { Cpus = read.Cpus }, read);
        Assert.Null(read.FindFault());
    }
}
