using System.Globalization;

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
        if (!IsAtEnd) throw Expected("nothing more, since a condition compares once");

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
            ? "<, <=, >, >=, == or != and a value: quote the whole condition, since a shell takes < and > for itself"
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
