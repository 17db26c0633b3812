namespace Spate.Cli.Tune.Trials;

/// <summary>The measurement that is about to start.</summary>
internal readonly record struct TrialStep(int Index, int Count, string What, bool IsAgain)
{
    /// <summary>For example <c>measurement 3 of 14: rmem-max</c>.</summary>
    public override string ToString() =>
        $"{(IsAgain ? "again, " : "")}measurement {Index + 1} of {Count}: {What}";
}
