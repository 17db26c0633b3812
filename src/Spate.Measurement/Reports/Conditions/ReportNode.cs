using System.Text.Json.Serialization.Metadata;

namespace Spate.Measurement.Reports.Conditions;

/// <summary>A place in the JSON of a type of report: its name, and what the type says about its value.</summary>
internal sealed class ReportNode
{
    private readonly JsonTypeInfo _type;

    private ReportNode(string name, JsonTypeInfo type)
    {
        Name = name;
        _type = type;
        Kind = KindOf(type);
    }

    public string Name { get; }

    public NodeKind Kind { get; }

    /// <summary>The fields of an object, in the order of the JSON; empty for all others.</summary>
    public IEnumerable<ReportNode> Fields => Kind != NodeKind.Object
        ? []
        : _type.Properties
            .Where(static property => property.Get is not null) // null: the field is not part of the JSON
            .Select(property => new ReportNode(property.Name, _type.Options.GetTypeInfo(property.PropertyType)));

    /// <summary>What a list or a map holds. It has the name of the list.</summary>
    public ReportNode Element => new(Name, _type.Options.GetTypeInfo(_type.ElementType!));

    /// <summary>The whole report of a type.</summary>
    /// <exception cref="ArgumentException">The type is not one that <see cref="ReportJson"/> writes.</exception>
    public static ReportNode Of(Type reportType) => new("report", ReportJson.TypeOf(reportType));

    /// <summary>The field of an object, or any name of a map; null if the object has no such field.</summary>
    public ReportNode? Find(string name) => Kind == NodeKind.Map
        ? new ReportNode(name, Element._type)
        : Fields.FirstOrDefault(field => field.Name.Equals(name, StringComparison.Ordinal));

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
