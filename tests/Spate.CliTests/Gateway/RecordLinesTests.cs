using System.Text;
using System.Text.Json;
using Spate.Cli.Gateway;
using Spate.Gateway.Format;
using Spate.Gateway.Reading;

namespace Spate.CliTests.Gateway;

/// <summary>Datagrams as lines of JSON, whatever strangers have put into them.</summary>
public sealed class RecordLinesTests
{
    private const long Epoch = 1_700_000_000_000_000_000;
    private const string Hostile = "a\u001b[2J\u202e\"\\\r\n\u2028\u007f<b>";

    private static readonly UdpEndPoint Local = UdpEndPoint.Parse("192.0.2.1:514");

    [Fact]
    public void Write_Text_HasEveryField()
    {
        JsonElement line = Assert.Single(Lines("gw", "hello"u8));

        Assert.Equal("gw", line.GetProperty("gateway").GetString());
        Assert.Equal(Epoch, line.GetProperty("epoch").GetInt64());
        Assert.Equal(3, line.GetProperty("shard").GetInt32());
        Assert.Equal(2, line.GetProperty("partition").GetInt32());
        Assert.Equal(7UL, line.GetProperty("sequence").GetUInt64());
        Assert.Equal("2023-11-14T22:13:20.000000123Z", line.GetProperty("time").GetString());
        Assert.Equal("198.51.100.7:40000", line.GetProperty("peer").GetString());
        Assert.Equal("192.0.2.1:514", line.GetProperty("local").GetString());
        Assert.Equal("hello", line.GetProperty("text").GetString());
        Assert.False(line.TryGetProperty("base64", out _));
        Assert.False(line.TryGetProperty("truncated", out _));
    }

    [Fact]
    public void Write_HostileTextAndId_IsOneLineOfPrintableAscii()
    {
        string written = Write(Message(Hostile, Encoding.UTF8.GetBytes(Hostile)), isLive: false);

        Assert.DoesNotContain(written[..^1], static character => character is < ' ' or > '~');
        Assert.Equal('\n', written[^1]);
        using var line = JsonDocument.Parse(written);
        Assert.Equal(Hostile, line.RootElement.GetProperty("text").GetString());
        Assert.Equal(Hostile, line.RootElement.GetProperty("gateway").GetString());
    }

    [Fact]
    public void Write_NoUtf8_IsBase64()
    {
        JsonElement line = Assert.Single(Lines("gw", [0xff, 0x00, 0xc0]));

        Assert.Equal((byte[])[0xff, 0x00, 0xc0], line.GetProperty("base64").GetBytesFromBase64());
        Assert.False(line.TryGetProperty("text", out _));
    }

    [Fact]
    public void Write_EmptyAndTruncated_SaysSo()
    {
        JsonElement line = Assert.Single(Lines("gw", [], isTruncated: true));

        Assert.Equal("", line.GetProperty("text").GetString());
        Assert.True(line.GetProperty("truncated").GetBoolean());
    }

    [Fact]
    public void Write_TimeAtTheEndOfTheRange_IsWritten()
    {
        JsonElement line = Assert.Single(Lines("gw", "x"u8, time: long.MaxValue - uint.MaxValue));

        Assert.StartsWith("2262-04-11T", line.GetProperty("time").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Write_Live_IsThereBeforeTheFlush(bool isLive)
    {
        using var output = new StringWriter();
        var lines = new RecordLines(output, isLive);
        Take(Message("gw", "hello"u8), lines);

        Assert.Equal(isLive, output.ToString().Length > 0);
        lines.Flush();
        Assert.EndsWith("\n", output.ToString(), StringComparison.Ordinal);
    }

    private static JsonElement[] Lines(
        string id, ReadOnlySpan<byte> payload, bool isTruncated = false, long time = Epoch + 123) =>
        [.. Write(Message(id, payload, isTruncated, time), isLive: false)
            .Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(static line => JsonSerializer.Deserialize<JsonElement>(line))];

    private static string Write(byte[] message, bool isLive)
    {
        using var output = new StringWriter();
        var lines = new RecordLines(output, isLive);
        Take(message, lines);
        lines.Flush();
        return output.ToString();
    }

    private static void Take(byte[] message, RecordLines lines)
    {
        var verifier = new Verifier(streamCount: 1, maxKeys: 1, visitsDuplicates: false, lines.Write);
        verifier.Take(0, 0, FormatLimits.ContentType, message);
        Assert.Equal(0, verifier.Findings().MessagesUnreadable);
    }

    // One datagram, with number 7.
    private static byte[] Message(
        string id, ReadOnlySpan<byte> payload, bool isTruncated = false, long time = Epoch + 123)
    {
        byte[] record = new byte[FormatLimits.MinRecordBytes + payload.Length];
        _ = RecordWriter.TryWrite(
            record, UdpEndPoint.Parse("198.51.100.7:40000"), default, 0, 0, payload, isTruncated);
        byte[] idBytes = Encoding.UTF8.GetBytes(id);
        byte[] message = new byte[PackPrefix.BytesFor(idBytes, [Local]) + record.Length];
        var prefix = new PackPrefix
        {
            Kind = PackKind.Records,
            Shard = 3,
            Partition = 2,
            Epoch = Epoch,
            FirstSequence = 7,
            Count = 1,
            BodyBytes = (uint)record.Length,
            FirstTime = time,
            LastTime = time,
        };
        record.CopyTo(message, prefix.Write(message, idBytes, [Local]));
        return message;
    }
}
