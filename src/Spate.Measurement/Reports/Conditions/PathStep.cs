namespace Spate.Measurement.Reports.Conditions;

/// <summary>One step on the way to a value: the name of a field, and the elements if it is a list.</summary>
/// <param name="Name">The name of the field.</param>
/// <param name="Elements">The elements of the list; null for a field that is no list.</param>
internal sealed record PathStep(string Name, ElementSelector? Elements);
