using System.Text;
using System.Text.Json;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Cli.Iperf.Iperf3.Wire;

public sealed class ResultsJsonTests
{
    private static readonly Iperf3StreamResult Stream = new()
    {
        Id = 3,
        Bytes = 330_000,
        Jitter = 6.9e-06,
        Errors = 4,
        OmittedErrors = 1,
        Packets = 344,
        OmittedPackets = 115,
        EndSeconds = 2.000123,
    };

    public static TheoryData<string> Names => [.. WireCorpus.Names("results")];

    [Theory]
    [MemberData(nameof(Names))]
    public void Read_EveryDialect_IsTakenAndSurvivesWriting(string name)
    {
        Iperf3Results results = Read(WireCorpus.Read(name));

        Assert.NotEmpty(results.Streams);
        Assert.All(results.Streams, static one => Assert.True(one is { Bytes: > 0, Packets: > 0, EndSeconds: > 0 }));
        SameResults.Check(results, Read(ResultsJson.Write(results)));
    }

    [Fact]
    public void Read_RealServersOutput_IsTaken()
    {
        Iperf3Results text = Read(WireCorpus.Read("results-3.12-everything-server"));
        Iperf3Results json = Read(WireCorpus.Read("results-3.12-output-server"));

        Assert.StartsWith("Accepted connection from 127.0.0.1", text.ServerText, StringComparison.Ordinal);
        Assert.Null(text.ServerJson);
        Assert.Null(json.ServerText);
        using var document = JsonDocument.Parse(json.ServerJson!);
        Assert.True(document.RootElement.TryGetProperty("intervals", out _));
    }

    [Fact]
    public void Read_BothWaysOfTheRealClient_HaveFourStreams() => Assert.Equal(
        [1, 3, 4, 5],
        Read(WireCorpus.Read("results-3.12-both-ways-client")).Streams.Select(static one => one.Id));

    [Fact]
    public void Read_NewestDialect_HasWhatIsOmitted() =>
        Assert.Equal(Stream with { Id = 1 }, Assert.Single(Read(WireCorpus.Read("results-3.21-omit-server")).Streams));

    [Theory]
    [InlineData("\"bytes\":-5", 0)]
    [InlineData("\"bytes\":18446744073709551615", 0)]
    [InlineData("\"bytes\":1e400", 0)]
    [InlineData("\"bytes\":\"5\"", 0)]
    [InlineData("\"bytes\":null", 0)]
    [InlineData("\"bytes\":9223372036854775807", 1L << 53)]
    [InlineData("\"bytes\":1e30", 1L << 53)]
    [InlineData("\"bytes\":1.5e3", 1500)]
    [InlineData("\"bytes\":1,\"bytes\":2", 2)]
    public void Read_BytesOfAnyForm_AreBounded(string field, long expected) =>
        Assert.Equal(expected, ReadStream(field).Bytes);

    [Theory]
    [InlineData("-1", -1)]
    [InlineData("18446744073709551615", -1)]
    [InlineData("1.8446744073709552e+19", -1)]
    [InlineData("-1e300", -(1L << 53))]
    [InlineData("9223372036854775808", -(1L << 53))]
    public void Read_ErrorsBelowZero_AreKept(string number, long expected) =>
        Assert.Equal(expected, ReadStream($"\"errors\":{number}").Errors);

    [Theory]
    [InlineData("-1", 0)]
    [InlineData("null", 0)]
    [InlineData("1e400", 0)]
    [InlineData("1e300", 1e7)]
    [InlineData("6.9e-06", 6.9e-06)]
    public void Read_JitterOfAnyForm_IsBounded(string number, double expected) =>
        Assert.Equal(expected, ReadStream($"\"jitter\":{number}").Jitter);

    [Theory]
    [InlineData("{}", "no list of up to 256 streams")]
    [InlineData("{\"streams\":{}}", "no list")]
    [InlineData("{\"streams\":[null]}", "a stream of the results is null, not an object")]
    [InlineData("{\"streams\":[{}]}", "is missing, not a number from 1")]
    [InlineData("{\"streams\":[{\"id\":0}]}", "is 0, not a number from 1")]
    [InlineData("{\"streams\":[{\"id\":2147483648}]}", "is 2147483648")]
    [InlineData("{\"streams\":[{\"id\":\"\u001b\"}]}", "not a JSON object")]
    [InlineData("{\"streams\":[{\"id\":\"\u202e\"}]}", "is \"\\u202e\"")]
    [InlineData("{\"streams\":[],\"server_output_text\":\"\\ud800\"}", "not a JSON object")]
    [InlineData("{\"streams\":[{\"\\ud800\":2,\"id\":1}]}", "not a JSON object")]
    [InlineData("{\"streams\":[{\"id\":1,\"\\ud800\":2}]}", "not a JSON object")]
    [InlineData("{\"streams\":[", "not a JSON object")]
    [InlineData("7", "not a JSON object")]
    public void Read_WrongResults_SayWhatIsWrong(string json, string expected)
    {
        Assert.False(ResultsJson.TryRead(Encoding.UTF8.GetBytes(json), out _, out string? error));
        Assert.Contains(expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_MoreStreamsThanATestHas_IsRefused()
    {
        Assert.False(ResultsJson.TryRead(WithStreams(257), out _, out _));
        Assert.Equal(256, Read(WithStreams(256)).Streams.Count);
    }

    [Fact]
    public void Read_LongerThanTheLimit_IsRefused()
    {
        byte[] json = Encoding.UTF8.GetBytes("{\"streams\":[]}".PadRight(ResultsJson.MaxBytes + 1));

        Assert.False(ResultsJson.TryRead(json, out _, out string? error));
        Assert.Contains("1048577 bytes", error, StringComparison.Ordinal);
        Assert.True(ResultsJson.TryRead(json.AsMemory(0, ResultsJson.MaxBytes), out _, out _));
    }

    [Theory]
    [InlineData("{\"sent\":{\"threads\":[null]}}")]
    [InlineData("{\"sent\":{\"datagrams\":1e400}}")]
    [InlineData("{\"stoppedUnheard\":7}")]
    [InlineData("{\"x\":[[[[[[[[[[]]]]]]]]]]}")]
    [InlineData("null")]
    [InlineData("[]")]
    public void Read_OwnReportThatIsNotWhole_LeavesTheRest(string report)
    {
        Iperf3Results results = Read(Encoding.UTF8.GetBytes($"{{\"streams\":[{{\"id\":1}}],\"spate\":{report}}}"));

        Assert.Null(results.Spate);
        Assert.Single(results.Streams);
    }

    [Fact]
    public void Read_OwnReportOfTooManyObjects_LeavesTheRest()
    {
        string many = string.Join(',', Enumerable.Repeat("{}", ReportProbe.MaxObjects));

        Assert.Null(Read(Encoding.UTF8.GetBytes($"{{\"streams\":[],\"spate\":{{\"x\":[{many}]}}}}")).Spate);
        Assert.NotNull(Read("{\"streams\":[],\"spate\":{\"x\":[{}]}}"u8.ToArray()).Spate);
    }

    [Fact]
    public void Write_Everything_IsReadBack()
    {
        var results = new Iperf3Results
        {
            Cpu = new Iperf3Cpu(12.5, 4, 8.5),
            Sends = true,
            Streams = [Stream, Stream with { Id = 4, Errors = -1 }],
            ServerText = "[  5] local \"x\"\n\u00e9",
            ServerJson = "{\"start\":{\"a\":[1.50]}}",
            Spate = new TestEndReport { StoppedUnheard = true, RefusedBecause = "Permission denied" },
        };

        SameResults.Check(results, Read(ResultsJson.Write(results)));
    }

    [Theory]
    [InlineData(true, "\"sender_has_retransmits\":0,")]
    [InlineData(false, "\"sender_has_retransmits\":-1,")]
    public void Write_EitherEnd_NamesWhatReadersNeed(bool sends, string expected)
    {
        var results = new Iperf3Results { Cpu = new Iperf3Cpu(0, 0, 0), Sends = sends, Streams = [Stream] };

        string json = Encoding.UTF8.GetString(ResultsJson.Write(results));

        Assert.Contains(expected, json, StringComparison.Ordinal);
        Assert.Contains("\"retransmits\":-1,", json, StringComparison.Ordinal);
        Assert.DoesNotContain("spate", json, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Write_LongOutput_IsLeftOutWithAWord(bool isText)
    {
        string text = new('x', ResultsJson.MaxBytes);
        var results = new Iperf3Results
        {
            Cpu = new Iperf3Cpu(0, 0, 0),
            Streams = [Stream],
            ServerText = isText ? text : null,
            ServerJson = isText ? null : $"{{\"x\":\"{text}\"}}",
            Spate = new TestEndReport(),
        };

        Iperf3Results read = Read(ResultsJson.Write(results));

        Assert.Contains("was left out", read.ServerText, StringComparison.Ordinal);
        Assert.Null(read.ServerJson);
        Assert.NotNull(read.Spate);
    }

    [Fact]
    public void Write_LongOwnReport_IsLeftOut()
    {
        var results = new Iperf3Results
        {
            Cpu = new Iperf3Cpu(0, 0, 0),
            Streams = [Stream],
            Spate = new TestEndReport { RefusedBecause = new string('x', ResultsJson.MaxBytes) },
        };

        Assert.Null(Read(ResultsJson.Write(results)).Spate);
    }

    private static byte[] WithStreams(int count) => Encoding.UTF8.GetBytes(
        $"{{\"streams\":[{string.Join(',', Enumerable.Repeat("{\"id\":1}", count))}]}}");

    private static Iperf3StreamResult ReadStream(string field) =>
        Assert.Single(Read(Encoding.UTF8.GetBytes($"{{\"streams\":[{{\"id\":1,{field}}}]}}")).Streams);

    private static Iperf3Results Read(byte[] json)
    {
        Assert.True(ResultsJson.TryRead(json, out Iperf3Results? results, out string? error), error);
        return results;
    }
}
