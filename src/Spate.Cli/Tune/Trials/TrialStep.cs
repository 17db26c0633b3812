namespace Spate.Cli.Tune.Trials;

/// <summary>The measurement that is about to start.</summary>
/// <param name="Index">The measurements of the series that are done.</param>
/// <param name="Count">All measurements of the series.</param>
/// <param name="What">What is measured.</param>
/// <param name="IsAgain">Whether this is the second series, which confirms the first one.</param>
internal readonly record struct TrialStep(int Index, int Count, string What, bool IsAgain)
{
    /// <summary>For example <c>measurement 3 of 14: rmem-max</c>.</summary>
    public override string ToString() =>
        $"{(IsAgain ? "again, " : "")}measurement {Index + 1} of {Count}: {What}";
}
