using System.Buffers;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.Reports;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>
/// The JSON of the control connection for the serializer. Its converters read the messages of any end: a value of a
/// wrong type does not spoil the message, and numbers are bounded.
/// </summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    MaxDepth = MaxDepth,
    Converters =
    [
        typeof(ParameterCount), typeof(ParameterSwitch), typeof(WireText),
        typeof(StreamNumber), typeof(ResultCount), typeof(ResultNumber),
    ])]
[JsonSerializable(typeof(ParameterMessage))]
[JsonSerializable(typeof(ResultsMessage))]
[JsonSerializable(typeof(IReadOnlyList<Iperf3StreamResult>))]
internal sealed partial class Iperf3Wire : JsonSerializerContext
{
    private const int MaxQuotedLength = 40;

    // What nobody nests deeper than: the parameters are flat, the results with a server's output have 8 levels.
    private const int MaxDepth = 16;

    private static readonly JsonWriterOptions WriterOptions = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public static byte[] Write<T>(T message, JsonTypeInfo<T> type)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer, WriterOptions)) JsonSerializer.Serialize(writer, message, type);

        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>Reads a message that anyone may have sent; null for anything but a valid object.</summary>
    public static T? Read<T>(ReadOnlyMemory<byte> json, JsonTypeInfo<T> type)
        where T : class
    {
        try
        {
            return JsonSerializer.Deserialize(json.Span, type);
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            // Not JSON, too deep, or with text that is not Unicode.
            return null;
        }
    }

    /// <summary>A value as its end wrote it, which need not be UTF-8, made printable for a message.</summary>
    public static string Quote(JsonElement element) =>
        PrintableText.Clean(Encoding.UTF8.GetString(JsonMarshal.GetRawUtf8Value(element)), MaxQuotedLength);

    /// <summary>Quotes a value of an object that was read.</summary>
    public static string Quote(ReadOnlyMemory<byte> json, string name)
    {
        using var document = JsonDocument.Parse(json, new JsonDocumentOptions { MaxDepth = MaxDepth });
        return Quote(document.RootElement.GetProperty(name));
    }
}

/// <summary>
/// Numbers of JSON as the versions of iperf3 write them: with exponents, as doubles, and -1 as the number of 64 bits
/// that has the same bits (3.12).
/// </summary>
internal static class JsonNumbers
{
    /// <summary>
    /// Bound of counts and rates: every double up to here is a whole number, 256 of them add up without overflow, and
    /// as bytes it is a day at 800 Gbit/s.
    /// </summary>
    public const long MaxCount = 1L << 53;

    // 2^64, which is what 18446744073709551615 becomes where it passed through a double.
    private const double TwoTo64 = 18_446_744_073_709_551_616.0;

    /// <summary>A whole number, as iperf3 reads it, cut to the bound; null for no finite number.</summary>
    public static long? ReadCount(ref Utf8JsonReader reader)
    {
        if (reader.TokenType == JsonTokenType.Number && reader.TryGetInt64(out long whole))
        {
            return Math.Clamp(whole, -MaxCount, MaxCount);
        }

        return ReadFinite(ref reader) is { } number ? (long)Math.Clamp(number, -MaxCount, MaxCount) : null;
    }

    /// <summary>Reads a number in the upper half of 64 bits as the negative one with the same bits.</summary>
    public static long? ReadSigned(ref Utf8JsonReader reader)
    {
        if (reader.TokenType == JsonTokenType.Number && reader.TryGetUInt64(out ulong bits) && bits > long.MaxValue)
        {
            return Math.Max(-MaxCount, unchecked((long)bits));
        }

        long? count = ReadCount(ref reader);
        return count == MaxCount && reader.GetDouble() == TwoTo64 ? -1 : count;
    }

    /// <summary>Null for no finite number, whose value is then skipped.</summary>
    public static double? ReadFinite(ref Utf8JsonReader reader)
    {
        if (reader.TokenType == JsonTokenType.Number)
        {
            return reader.TryGetDouble(out double value) && double.IsFinite(value) ? value : null;
        }

        reader.Skip();
        return null;
    }
}

/// <summary>A count of the parameters: no number is <see cref="Wrong"/>, which is in no range.</summary>
internal sealed class ParameterCount : JsonConverter<long?>
{
    public const long Wrong = long.MinValue;

    public override bool HandleNull => true;

    public override long? Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        JsonNumbers.ReadCount(ref reader) ?? Wrong;

    public override void Write(Utf8JsonWriter writer, long? value, JsonSerializerOptions options) =>
        writer.WriteNumberValue(value!.Value);
}

/// <summary>A switch of the parameters. iperf3 writes some as a number, and before 3.18 it wrote all so.</summary>
internal enum WireSwitch
{
    Wrong = -1,
    Off = 0,
    On = 1,

    /// <summary>On, and written as the number 1.</summary>
    One = 2,
}

internal sealed class ParameterSwitch : JsonConverter<WireSwitch?>
{
    public override bool HandleNull => true;

    public override WireSwitch? Read(
        ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => reader.TokenType switch
        {
            JsonTokenType.True => WireSwitch.On,
            JsonTokenType.False => WireSwitch.Off,
            _ => JsonNumbers.ReadFinite(ref reader) switch
            {
                null => WireSwitch.Wrong,
                0 => WireSwitch.Off,
                _ => WireSwitch.On,
            },
        };

    public override void Write(Utf8JsonWriter writer, WireSwitch? value, JsonSerializerOptions options)
    {
        if (value == WireSwitch.One) writer.WriteNumberValue(1);
        else writer.WriteBooleanValue(value == WireSwitch.On);
    }
}

/// <summary>A text; any other value is <see cref="Wrong"/>, which is compared by reference.</summary>
internal sealed class WireText : JsonConverter<string>
{
    public static readonly string Wrong = new('?', 1);

    public override bool HandleNull => true;

    public override string Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        if (reader.TokenType == JsonTokenType.String) return reader.GetString()!;

        reader.Skip();
        return Wrong;
    }

    public override void Write(Utf8JsonWriter writer, string value, JsonSerializerOptions options) =>
        writer.WriteStringValue(value);
}

/// <summary>The number of a stream, which its reader has found to be one.</summary>
internal sealed class StreamNumber : JsonConverter<int>
{
    public override int Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        (int)Math.Clamp(JsonNumbers.ReadCount(ref reader) ?? 0, 0, int.MaxValue);

    public override void Write(Utf8JsonWriter writer, int value, JsonSerializerOptions options) =>
        writer.WriteNumberValue(value);
}

// A version may leave a figure out, and writes null for one that is no number. Neither is worth losing the rest.

/// <summary>A count of the results, 0 for no number.</summary>
internal sealed class ResultCount : JsonConverter<long>
{
    public override long Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        JsonNumbers.ReadSigned(ref reader) ?? 0;

    public override void Write(Utf8JsonWriter writer, long value, JsonSerializerOptions options) =>
        writer.WriteNumberValue(value);
}

/// <summary>Seconds or percent of the results, 0 for no number.</summary>
internal sealed class ResultNumber : JsonConverter<double>
{
    private const double Max = 1e7;

    public override double Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        Math.Clamp(JsonNumbers.ReadFinite(ref reader) ?? 0, 0, Max);

    public override void Write(Utf8JsonWriter writer, double value, JsonSerializerOptions options) =>
        writer.WriteNumberValue(value);
}

/// <summary>An object that is passed on as it was written; null for anything else.</summary>
internal sealed class WireJson : JsonConverter<string?>
{
    public override string? Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        JsonElement element = JsonElement.ParseValue(ref reader);
        return element.ValueKind == JsonValueKind.Object ? element.GetRawText() : null;
    }

    public override void Write(Utf8JsonWriter writer, string? value, JsonSerializerOptions options) =>
        writer.WriteRawValue(value!);
}
