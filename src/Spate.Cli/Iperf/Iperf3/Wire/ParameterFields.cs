using System.Text.Json;
using Spate.Measurement.Reports;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>Reads the fields of a client's parameters one by one, and remembers the first fault.</summary>
internal sealed class ParameterFields(JsonElement root)
{
    private const int MaxQuotedLength = 40;

    public string? Fault { get; private set; }

    public int ErrorCode { get; private set; }

    public bool Has(string name) => root.TryGetProperty(name, out _);

    public long ReadCount(string name, long whenAbsent, long min, long max, int errorCode)
    {
        if (!root.TryGetProperty(name, out JsonElement element)) return whenAbsent;

        if (JsonNumbers.TryReadCount(element, out long value) && value >= min && value <= max) return value;

        Fail(errorCode, name, element, $"a number from {min} to {max}");
        return whenAbsent;
    }

    public int ReadInteger(string name, int whenAbsent, int min, int max, int errorCode) =>
        (int)ReadCount(name, whenAbsent, min, max, errorCode);

    /// <summary>A switch, also written as a number before 3.18; false where the client names none.</summary>
    public bool ReadSwitch(string name)
    {
        if (!root.TryGetProperty(name, out JsonElement element)) return false;
        if (element.ValueKind is JsonValueKind.True or JsonValueKind.False) return element.GetBoolean();
        if (JsonNumbers.TryReadFinite(element, out double number)) return number is not 0;

        Fail(Iperf3Error.ReceiveParameters, name, element, "true or false");
        return false;
    }

    public string ReadText(string name)
    {
        if (!root.TryGetProperty(name, out JsonElement element)) return "";
        if (element.ValueKind == JsonValueKind.String) return element.GetString() ?? "";

        Fail(Iperf3Error.ReceiveParameters, name, element, "text");
        return "";
    }

    public void Fail(int errorCode, string fault)
    {
        if (Fault is null) (ErrorCode, Fault) = (errorCode, fault);
    }

    private void Fail(int errorCode, string name, JsonElement element, string expected) =>
        Fail(errorCode, $"{name} is {PrintableText.Clean(element.GetRawText(), MaxQuotedLength)}, not {expected}");
}
