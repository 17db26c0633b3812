namespace Spate.Measurement.Reports.Conditions;

/// <summary>How a condition compares a value of a report with its own.</summary>
internal enum ConditionOperator
{
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}
