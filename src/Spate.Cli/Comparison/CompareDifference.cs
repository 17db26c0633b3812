namespace Spate.Cli.Comparison;

/// <summary>A condition under which the two sides were not alike.</summary>
/// <param name="Name">The name of the setting, as in the JSON of the reports.</param>
/// <param name="A">Its value on the first side; several values are joined by <c> or </c>.</param>
/// <param name="B">Its value on the second side.</param>
internal sealed record CompareDifference(string Name, string A, string B);
