using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Spate.Measurement.Reports.Conditions;

/// <summary>A condition that makes a check fail; docs/fail-if.md has the grammar. Immutable.</summary>
internal sealed class ReportCondition
{
    public const int MaxLength = 500;

    private const int MaxShownLength = 100;

    private readonly IReadOnlyList<PathStep> _path;
    private readonly ConditionOperator _comparison;
    private readonly ConditionValue _value;

    private ReportCondition(
        string text, IReadOnlyList<PathStep> path, ConditionOperator comparison, ConditionValue value)
    {
        Text = text;
        _path = path;
        _comparison = comparison;
        _value = value;
    }

    public string Text { get; }

    /// <summary>Checks the names too. The error is printable ASCII without the condition itself.</summary>
    public static bool TryParse(
        JsonTypeInfo reportType,
        string text,
        [NotNullWhen(true)] out ReportCondition? condition,
        [NotNullWhen(false)] out string? error)
    {
        ArgumentNullException.ThrowIfNull(text);
        var report = ReportNode.Of(reportType);
        condition = null;
        if (text.Length > MaxLength)
        {
            error = $"it has {text.Length} characters: expected at most {MaxLength}";
            return false;
        }

        try
        {
            (IReadOnlyList<PathStep> path, ConditionOperator comparison, ConditionValue value) =
                new ConditionParser(text, report).Read();
            condition = new ReportCondition(text, path, comparison, value);
            error = null;
            return true;
        }
        catch (ConditionSyntaxException fault)
        {
            error = fault.Message;
            return false;
        }
    }

    /// <summary>A printable line for each condition that holds or cannot be judged; none is a pass.</summary>
    public static IReadOnlyList<string> Judge(IReadOnlyList<ReportCondition> conditions, Report report)
    {
        if (conditions.Count == 0) return [];

        JsonElement json = ReportJson.ToElement(report);
        return [.. conditions.Select(condition => condition.Judge(json)).OfType<string>()];
    }

    internal string? Judge(JsonElement report)
    {
        var found = new List<FoundValue>();
        Collect(report, step: 0, where: "", found);
        FoundValue[] failing = [.. found.Where(value => _value.Compare(value.Actual, _comparison) is true)];
        if (failing.Length > 0)
        {
            return Line(failing[0]) + (failing.Length == 1 ? "" : $" (and {failing.Length - 1} more)");
        }

        FoundValue? unknown = found.Find(value => _value.Compare(value.Actual, _comparison) is null);
        return unknown is null ? null : $"{Line(unknown)}, which cannot be compared, so the check fails";
    }

    /// <summary>Finds the values that the path leads to. Where it leads to none, the value found is null.</summary>
    private void Collect(JsonElement at, int step, string where, List<FoundValue> found)
    {
        if (step == _path.Count)
        {
            found.Add(new FoundValue(where, at));
            return;
        }

        PathStep next = _path[step];
        where += (step == 0 ? "" : ".") + next.Name;
        if (at.ValueKind != JsonValueKind.Object || !at.TryGetProperty(next.Name, out JsonElement value))
        {
            found.Add(new FoundValue(where, Actual: null));
        }
        else if (next.Elements is null)
        {
            Collect(value, step + 1, where, found);
        }
        else
        {
            CollectElements(value, next.Elements, step + 1, where, found);
        }
    }

    private void CollectElements(
        JsonElement list, ElementSelector elements, int step, string where, List<FoundValue> found)
    {
        int index = 0;
        int before = found.Count;
        if (list.ValueKind == JsonValueKind.Array)
        {
            foreach (JsonElement element in list.EnumerateArray())
            {
                if (elements.Takes(element, index)) Collect(element, step, NameOf(where, element, index), found);
                index++;
            }
        }

        if (found.Count == before) found.Add(new FoundValue($"{where}[no such element]", Actual: null));
    }

    /// <summary>The list, the index of the element, and the first text in it, usually its name.</summary>
    private static string NameOf(string list, JsonElement element, int index)
    {
        string? name = element.ValueKind != JsonValueKind.Object ? null : element.EnumerateObject()
            .Where(static property => property.Value.ValueKind == JsonValueKind.String)
            .Select(static property => property.Value.GetString())
            .FirstOrDefault();
        string label = name is null ? "" : ", " + name;
        return string.Create(CultureInfo.InvariantCulture, $"{list}[{index}{label}]");
    }

    private string Line(FoundValue value)
    {
        string actual = value.Actual switch
        {
            null => "null",
            { ValueKind: JsonValueKind.String } text => PrintableText.Quote(text.GetString()!, MaxShownLength),
            { } other => PrintableText.Clean(other.GetRawText(), MaxShownLength),
        };
        string where = PrintableText.Clean(value.Where, MaxShownLength);
        return $"{PrintableText.Clean(Text, MaxLength)}: {where} is {actual}";
    }

    /// <summary>A value that the path leads to.</summary>
    private sealed record FoundValue(string Where, JsonElement? Actual);
}
