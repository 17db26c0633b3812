using System.Text.Json;

namespace Spate.Measurement.Reports;

/// <summary>Says that the names of a map in a report are those of an enumeration, in camelCase.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class MapNamesAttribute(Type enumeration) : Attribute
{
    public Type Enumeration => enumeration;

    public static string[] Of(Type enumeration) =>
        [.. Enum.GetNames(enumeration).Select(JsonNamingPolicy.CamelCase.ConvertName)];
}
