using System.Text.Json;

namespace Spate.Measurement.Reports.Conditions;

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
