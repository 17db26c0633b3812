using System.Text.Json.Serialization;

namespace Spate.Build.Mutants;

/// <summary>The change that a mutant makes to the code.</summary>
internal enum MutationKind
{
    /// <summary>A condition is negated.</summary>
    Condition,

    /// <summary>A bound of a comparison moves by one.</summary>
    Bound,

    /// <summary>A call is left out.</summary>
    Call,
}

/// <summary>The end of a mutant's trial.</summary>
internal enum Outcome
{
    None,
    Killed,
    Timeout,
    Survived,
    NotCompiled,
    NotFound,
}

/// <summary>
/// A line of the list and of the results. The place is a symbol and an ordinal, not a line of a file, so that the list
/// survives moved files and changes nearby.
/// </summary>
internal sealed record Mutant(string Symbol, MutationKind Kind, int Ordinal, string Text)
{
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public Outcome Outcome { get; init; }

    /// <summary>The test that failed or hung.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Test { get; init; }

    [JsonIgnore]
    public bool IsKilled => Outcome is Outcome.Killed or Outcome.Timeout;

    [JsonIgnore]
    public (string, MutationKind, int, string) Key => (Symbol, Kind, Ordinal, Text);
}
