namespace Spate.Measurement.Reports.Conditions;

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
