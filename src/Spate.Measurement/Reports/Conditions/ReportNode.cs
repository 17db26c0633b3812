using System.Reflection;
using System.Text.Json.Serialization.Metadata;

namespace Spate.Measurement.Reports.Conditions;

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
