using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Reflection;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Spate.Measurement.Reports.Conditions;

/// <summary>A condition that makes a check fail; docs/measure/reports.md has the grammar. Immutable.</summary>
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

/// <summary>One step on the way to a value: the name of a field, and the elements if it is a list.</summary>
internal sealed record PathStep(string Name, ElementSelector? Elements);

/// <summary>The elements of a list that a condition is about: what stands in the brackets.</summary>
/// <param name="Index">From 0; null for any index.</param>
internal sealed record ElementSelector(int? Index, IReadOnlyList<ElementFilter> Filters)
{
    public bool Takes(JsonElement element, int index) =>
        (Index is null || Index == index) && Filters.All(filter => filter.Takes(element));
}

/// <summary>One property that the elements must have.</summary>
/// <param name="Field">Null for any field with a text, or the element itself.</param>
internal sealed record ElementFilter(string? Field, ConditionValue Value)
{
    public bool Takes(JsonElement element)
    {
        if (element.ValueKind != JsonValueKind.Object) return Field is null && IsValue(element);

        return Field is null
            ? element.EnumerateObject().Any(property => IsValue(property.Value))
            : element.TryGetProperty(Field, out JsonElement value) && IsValue(value);
    }

    private bool IsValue(JsonElement actual) => Value.Compare(actual, ConditionOperator.Equal) is true;
}

/// <summary>A place in the JSON of a type of report: its name, and what the type says about its value.</summary>
internal sealed class ReportNode
{
    private readonly JsonTypeInfo _type;
    private readonly ICustomAttributeProvider? _attributes;

    private ReportNode(string name, JsonTypeInfo type, ICustomAttributeProvider? attributes = null)
    {
        Name = name;
        _type = type;
        _attributes = attributes;
        Kind = KindOf(type);
    }

    public string Name { get; }

    public NodeKind Kind { get; }

    /// <summary>In the order of the JSON. A map has those of its <see cref="MapNamesAttribute"/>, if any.</summary>
    public IEnumerable<ReportNode> Fields => Kind switch
    {
        NodeKind.Object => _type.Properties
            .Where(static property => property.Get is not null) // null: the field is not part of the JSON
            .Select(property => new ReportNode(
                property.Name, _type.Options.GetTypeInfo(property.PropertyType), property.AttributeProvider)),
        NodeKind.Map => NamesInMap().Select(name => new ReportNode(name, Element._type)),
        _ => [],
    };

    /// <summary>What a list or a map holds. It has the name of the list.</summary>
    public ReportNode Element => new(Name, _type.Options.GetTypeInfo(_type.ElementType!), _attributes);

    public static ReportNode Of(JsonTypeInfo reportType) => new("report", reportType);

    /// <summary>The field of an object, or what a map holds under a name; null if there is no such name.</summary>
    public ReportNode? Find(string name) =>
        Fields.FirstOrDefault(field => field.Name.Equals(name, StringComparison.Ordinal));

    private string[] NamesInMap() =>
        _attributes?.GetCustomAttributes(typeof(MapNamesAttribute), inherit: false) is [MapNamesAttribute names]
            ? MapNamesAttribute.Of(names.Enumeration)
            : [];

    private static NodeKind KindOf(JsonTypeInfo type) => type.Kind switch
    {
        JsonTypeInfoKind.Object => NodeKind.Object,
        JsonTypeInfoKind.Enumerable => NodeKind.List,
        JsonTypeInfoKind.Dictionary => NodeKind.Map,
        _ => KindOfScalar(Nullable.GetUnderlyingType(type.Type) ?? type.Type),
    };

    private static NodeKind KindOfScalar(Type type)
    {
        if (type == typeof(string)) return NodeKind.Text;

        if (type == typeof(bool)) return NodeKind.Boolean;

        return (type.IsPrimitive && type != typeof(char)) || type == typeof(decimal) ? NodeKind.Number : NodeKind.Any;
    }
}

/// <summary>What the type of a report says about a value in its JSON.</summary>
internal enum NodeKind
{
    Number,
    Text,
    Boolean,

    /// <summary>A single value whose type only the report shows, for example one with a converter of its own.</summary>
    Any,

    Object,
    List,

    /// <summary>An object whose names are data, for example places with counts.</summary>
    Map,
}
