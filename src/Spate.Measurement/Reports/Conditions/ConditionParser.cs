using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.Json;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Reports.Conditions;

/// <summary>Reads a condition from left to right, and checks each name against the type of the report.</summary>
internal sealed class ConditionParser(string text, ReportNode report)
{
    private const int MaxQuotedLength = 60;

    private static readonly (string Text, ConditionOperator Comparison)[] Operators =
    [
        ("<=", ConditionOperator.LessOrEqual),
        (">=", ConditionOperator.GreaterOrEqual),
        ("==", ConditionOperator.Equal),
        ("!=", ConditionOperator.NotEqual),
        ("<", ConditionOperator.Less),
        (">", ConditionOperator.Greater),
    ];

    private readonly List<PathStep> _path = [];
    private int _position;

    private char Next => _position < text.Length ? text[_position] : '\0';

    private bool IsAtEnd => _position == text.Length;

    /// <summary>Reads the whole condition; throws <see cref="ConditionSyntaxException"/>.</summary>
    public (IReadOnlyList<PathStep> Path, ConditionOperator Comparison, ConditionValue Value) Read()
    {
        ReportNode field = ReadPath();
        ConditionOperator comparison = ReadOperator();
        ConditionValue value = ReadValue(field);
        if (!IsAtEnd) throw Expected("nothing more, because a condition compares once");

        bool isOrder = comparison is not (ConditionOperator.Equal or ConditionOperator.NotEqual);
        return isOrder && !value.IsNumber
            ? throw new ConditionSyntaxException("only numbers are less or greater: use == or !=")
            : (_path, comparison, value);
    }

    private ReportNode ReadPath()
    {
        ReportNode node = report;
        do
        {
            node = ReadStep(node);
        }
        while (TrySkip('.'));

        bool isSingle = node.Kind is not (NodeKind.List or NodeKind.Object or NodeKind.Map);
        return isSingle || CanBeNull() ? node : throw Unknown($"{node.Name} has no single value");
    }

    private ReportNode ReadStep(ReportNode parent)
    {
        SkipSpaces();
        string name = ReadName();
        if (name.Length == 0) throw Expected("the name of a figure, as in lostPercent > 0.1");

        if (parent.Kind == NodeKind.List) throw Unknown($"{parent.Name} is a list");

        ReportNode node = parent.Find(name) ?? throw Unknown($"{Where(parent)} has no {Quote(name)}");
        SkipSpaces();
        if (!TrySkip('['))
        {
            _path.Add(new PathStep(name, Elements: null));
            return node;
        }

        if (node.Kind != NodeKind.List) throw Unknown($"{name} is not a list");

        _path.Add(new PathStep(name, ReadElements(node.Element)));
        SkipSpaces();
        return node.Element;
    }

    private ElementSelector ReadElements(ReportNode element)
    {
        int? index = null;
        var filters = new List<ElementFilter>();
        do
        {
            (string word, bool isQuoted) = ReadWord();
            if (!isQuoted && TrySkip('='))
            {
                ReportNode field = element.Find(word) ?? throw Unknown(
                    $"{element.Name} has no {Quote(word)}",
                    string.Join('.', [.. _path.Select(static step => step.Name), element.Name, word]));
                filters.Add(new ElementFilter(field.Name, ReadValue(field)));
            }
            else if (!isQuoted && int.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out int number))
            {
                index = number;
            }
            else if (isQuoted || word is not "*")
            {
                bool hasText = element.Kind is NodeKind.Text or NodeKind.Any
                    || element.Fields.Any(static field => field.Kind is NodeKind.Text or NodeKind.Any);
                if (!hasText)
                {
                    throw new ConditionSyntaxException(
                        $"the elements of {element.Name} have no names: write [*], [0] or [FIELD=VALUE]");
                }

                filters.Add(new ElementFilter(Field: null, ConditionValue.OfText(word)));
            }
        }
        while (TrySkip(','));

        return TrySkip(']') ? new ElementSelector(index, filters) : throw Expected("a ]");
    }

    private ConditionOperator ReadOperator()
    {
        foreach ((string name, ConditionOperator comparison) in Operators)
        {
            if (!text.AsSpan(_position).StartsWith(name, StringComparison.Ordinal)) continue;

            _position += name.Length;
            return comparison;
        }

        throw Expected(IsAtEnd
            ? "<, <=, >, >=, == or != and a value: quote the whole condition, because a shell interprets < and >"
            : "<, <=, >, >=, == or !=");
    }

    private ConditionValue ReadValue(ReportNode field)
    {
        (string word, bool isQuoted) = ReadWord();
        return ConditionValue.TryParse(field, word, isQuoted, out ConditionValue? value, out string? expected)
            ? value
            : throw new ConditionSyntaxException($"{expected}, not {Quote(word)}");
    }

    /// <summary>Reads a text in quotes, or all characters up to one that is part of the grammar.</summary>
    private (string Word, bool IsQuoted) ReadWord()
    {
        SkipSpaces();
        int start = _position;
        if (Next is not ('"' or '\''))
        {
            while (!IsAtEnd && Next is not (',' or '[' or ']' or '=' or '<' or '>' or '!' or '&' or '|' or '"' or '\''))
            {
                _position++;
            }

            string bare = text[start.._position].TrimEnd(' ');
            return bare.Length > 0 ? (bare, false) : throw Expected("a value");
        }

        int end = text.IndexOf(Next, start + 1);
        if (end < 0) throw Expected("a closing quote");

        _position = end + 1;
        SkipSpaces();
        return (text[(start + 1)..end], true);
    }

    private string ReadName()
    {
        int start = _position;
        while (char.IsAsciiLetterOrDigit(Next) || Next is '_' or '-') _position++;
        return text[start.._position];
    }

    /// <summary>Whether the rest compares with null, as lists and objects can be compared.</summary>
    private bool CanBeNull() =>
        text.AsSpan(_position).StartsWith("==") || text.AsSpan(_position).StartsWith("!=");

    private bool TrySkip(char expected)
    {
        if (Next != expected || IsAtEnd) return false;

        _position++;
        return true;
    }

    private void SkipSpaces()
    {
        while (Next == ' ') _position++;
    }

    private string Where(ReportNode parent) => _path.Count == 0 ? "the report" : parent.Name;

    private ConditionSyntaxException Expected(string expected) => new(
        $"expected {expected}" + (IsAtEnd ? "" : $", at {Quote(text[_position..])}"));

    private ConditionSyntaxException Unknown(string fault, string? path = null)
    {
        if (path is null)
        {
            // What the user took for the path: all up to the operator.
            int length = text.AsSpan(_position).IndexOfAny("<>=!");
            path = length < 0 ? text : text[..(_position + length)];
        }

        string[] nearest = NearestNames.Of(report, path);
        return new ConditionSyntaxException(nearest switch
        {
            [] => $"{fault}, and no name like it: the report that --json - writes has the names",
            [var one] => $"{fault}: the nearest name is {one}",
            _ => $"{fault}: the nearest names are {string.Join(", ", nearest)}",
        });
    }

    private static string Quote(string part) => PrintableText.Quote(part, MaxQuotedLength);
}

/// <summary>A condition is wrong. The message says what was wrong, and what was expected.</summary>
internal sealed class ConditionSyntaxException(string message) : Exception(message);

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
            NodeKind.Boolean => $"{field.Name} is a boolean: expected true, false or null",
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
