using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Unicode;
using Spate.Gateway;

namespace Spate.Cli.Gateway;

/// <summary>
/// Writes datagrams as lines of JSON. What is not printable ASCII is escaped, since any host that reaches a gateway
/// chooses it.
/// </summary>
internal sealed class RecordLines(TextWriter output, bool isLive)
{
    private const int FlushBytes = 64 * 1024;
    private const long NanosecondsPerSecond = 1_000_000_000;

    private readonly ArrayBufferWriter<byte> _lines = new(FlushBytes);

    public void Write(in GatewayRecord record)
    {
        GatewayKey key = record.Key;
        using (var line = new Utf8JsonWriter(_lines))
        {
            line.WriteStartObject();
            line.WriteString("gateway", key.GatewayId);
            line.WriteNumber("epoch", key.EpochUnixNanoseconds);
            line.WriteNumber("shard", key.ShardIndex);
            line.WriteNumber("partition", key.PartitionIndex);
            line.WriteNumber("sequence", record.Sequence);
            line.WriteString("time", TimeText(record.ArrivalUnixNanoseconds));
            line.WriteString("peer", record.Peer.ToString());
            line.WriteString("local", record.LocalEndPoint.ToString());
            if (record.IsTruncated) line.WriteBoolean("truncated", true);

            // A payload is text, or it is not: readers take the field that is there.
            if (Utf8.IsValid(record.Payload)) line.WriteString("text", record.Payload);
            else line.WriteBase64String("base64", record.Payload);
            line.WriteEndObject();
        }

        _lines.Write("\n"u8);
        if (isLive || _lines.WrittenCount >= FlushBytes) Flush();
    }

    public void Flush()
    {
        if (_lines.WrittenCount == 0) return;
        output.Write(Encoding.UTF8.GetString(_lines.WrittenSpan));
        _lines.ResetWrittenCount();
    }

    // RFC 3339 with nanoseconds. A forged message may hold any number.
    private static string TimeText(long nanoseconds)
    {
        long seconds = Math.DivRem(nanoseconds, NanosecondsPerSecond, out long rest);
        if (rest < 0) (seconds, rest) = (seconds - 1, rest + NanosecondsPerSecond);
        DateTimeOffset time = DateTimeOffset.FromUnixTimeSeconds(seconds);
        return string.Create(CultureInfo.InvariantCulture, $"{time:yyyy-MM-ddTHH:mm:ss}.{rest:000000000}Z");
    }
}
