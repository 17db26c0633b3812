using System.Text.Json;

namespace Spate.Measurement.Reports;

/// <summary>
/// Says of a map in a report that its names are those of an enumeration, in camelCase. They are data, so the type of
/// the map does not have them.
/// </summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class MapNamesAttribute(Type enumeration) : Attribute
{
    public Type Enumeration => enumeration;

    /// <summary>The names in the order of the enumeration's values.</summary>
    public static string[] Of(Type enumeration) =>
        [.. Enum.GetNames(enumeration).Select(JsonNamingPolicy.CamelCase.ConvertName)];
}
