using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.Json;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Reports.Conditions;

/// <summary>The value that a condition names: a number, a text, true, false or null.</summary>
internal sealed class ConditionValue
{
    private readonly decimal? _number;
    private readonly string? _text;
    private readonly bool? _truth;

    private ConditionValue(decimal? number = null, string? text = null, bool? truth = null) =>
        (_number, _text, _truth) = (number, text, truth);

    public bool IsNumber => _number is not null;

    public bool IsNull => _number is null && _text is null && _truth is null;

    public static ConditionValue OfText(string text) => new(text: text);

    /// <summary>The text is without its quotes; what had some is a text. The field's name tells the units.</summary>
    public static bool TryParse(
        ReportNode field,
        string text,
        bool isQuoted,
        [NotNullWhen(true)] out ConditionValue? value,
        [NotNullWhen(false)] out string? expected)
    {
        value = isQuoted ? null : text switch
        {
            "null" => new ConditionValue(),
            "true" or "false" when field.Kind is NodeKind.Boolean or NodeKind.Any => new ConditionValue(
                truth: text is "true"),
            _ when field.Kind is NodeKind.Number or NodeKind.Any => OfNumber(text, field.Name),
            _ => null,
        };
        if (field.Kind is NodeKind.Text or NodeKind.Any) value ??= new ConditionValue(text: text);

        expected = value is not null ? null : field.Kind switch
        {
            NodeKind.Number => $"{field.Name} is a number: expected one {Example(field.Name)}, or null",
            NodeKind.Boolean => $"{field.Name} is a yes or no: expected true, false or null",
            _ => $"{field.Name} has no single value: it can only be compared with null",
        };
        return value is not null;
    }

    /// <summary>Null where the value is not known or of another type. Only numbers are less or greater.</summary>
    public bool? Compare(JsonElement? actual, ConditionOperator comparison)
    {
        bool isKnown = actual is { ValueKind: not JsonValueKind.Null };
        if (IsNull) return isKnown == (comparison == ConditionOperator.NotEqual);

        if (!isKnown) return null;

        return actual!.Value.ValueKind switch
        {
            JsonValueKind.Number when _number is { } number => Holds(comparison, CompareNumber(actual.Value, number)),
            JsonValueKind.String when _text is not null =>
                Holds(comparison, string.CompareOrdinal(actual.Value.GetString(), _text)),
            JsonValueKind.True or JsonValueKind.False when _truth is { } truth =>
                Holds(comparison, actual.Value.GetBoolean().CompareTo(truth)),
            _ => null,
        };
    }

    private static bool Holds(ConditionOperator comparison, int order) => comparison switch
    {
        ConditionOperator.Less => order < 0,
        ConditionOperator.LessOrEqual => order <= 0,
        ConditionOperator.Greater => order > 0,
        ConditionOperator.GreaterOrEqual => order >= 0,
        ConditionOperator.Equal => order == 0,
        _ => order != 0,
    };

    // In decimals, so that 0.1 is what the JSON shows and counts over 2^53 are exact. Only a double is larger.
    private static int CompareNumber(JsonElement actual, decimal number) => actual.TryGetDecimal(out decimal exact)
        ? exact.CompareTo(number)
        : actual.GetDouble().CompareTo((double)number);

    private static ConditionValue? OfNumber(string text, string name)
    {
        ReadOnlySpan<char> digits = text;
        if (IsPercent(name) && UnitSuffix.TryTrimEnd(ref digits, "%")) digits = digits.TrimEnd(' ');

        if (IsBits(name)) _ = UnitSuffix.TryTrimEnd(ref digits, "bit/s") || UnitSuffix.TryTrimEnd(ref digits, "bit");

        long thousand = IsSize(name) ? UnitSuffix.SizeThousand : UnitSuffix.CountThousand;
        digits = UnitSuffix.Split(digits, thousand, out long unit);
        bool isNegative = digits.StartsWith('-');
        bool isNumber = decimal.TryParse(
            isNegative ? digits[1..] : digits,
            NumberStyles.AllowDecimalPoint,
            CultureInfo.InvariantCulture,
            out decimal number)
            && number <= decimal.MaxValue / unit;
        return isNumber ? new ConditionValue(isNegative ? -number * unit : number * unit) : null;
    }

    private static string Example(string name)
    {
        if (IsPercent(name)) return "such as 0.1 or 0.1%";

        if (IsBits(name)) return "such as 5Gbit";

        return IsSize(name) ? "such as 1380, 64k or 4M (k is 1024)" : "such as 100, 0.5 or 200k";
    }

    private static bool IsPercent(string name) => name.EndsWith("Percent", StringComparison.OrdinalIgnoreCase);

    private static bool IsBits(string name) => name.EndsWith("bitsPerSecond", StringComparison.OrdinalIgnoreCase);

    private static bool IsSize(string name) => name.Contains("bytes", StringComparison.OrdinalIgnoreCase);
}

internal enum ConditionOperator
{
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}
