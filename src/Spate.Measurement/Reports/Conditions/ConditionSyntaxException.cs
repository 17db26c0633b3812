namespace Spate.Measurement.Reports.Conditions;

/// <summary>A condition is wrong. The message says what was wrong, and what was expected.</summary>
internal sealed class ConditionSyntaxException(string message) : Exception(message);
