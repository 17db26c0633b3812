namespace Spate.Build.Mutants;

/// <summary>How the outcomes are printed.</summary>
internal static class Summary
{
    /// <summary>The exit code is 1 if a mutant is not killed that was killed when the list was recorded.</summary>
    public static int Print(
        Mutant[] mutants, IReadOnlyCollection<Mutant> results, SourceTree sources, TextWriter output)
    {
        Dictionary<(string, MutationKind, int, string), Mutant> byKey = ByKey(results);
        Mutant[] tried = [.. mutants.Where(one => byKey.ContainsKey(one.Key)).Select(one => byKey[one.Key])];
        output.WriteLine();
        foreach (Mutant mutant in tried) output.WriteLine(LineOf(mutant));
        output.WriteLine();
        output.WriteLine($"{"project",-20} {"killed",8} {"survived",8} {"other",8}");
        foreach (IGrouping<string, Mutant> project in tried
            .GroupBy(one => sources.Find(one)?.File.Project ?? "(not found)")
            .OrderBy(one => one.Key, StringComparer.Ordinal))
        {
            int ofProject = project.Count(one => one.IsKilled);
            int survivors = project.Count(one => one.Outcome == Outcome.Survived);
            output.WriteLine(
                $"{project.Key,-20} {ofProject,8} {survivors,8} {project.Count() - ofProject - survivors,8}");
        }

        Mutant[] lost = [.. mutants.Where(one => byKey.ContainsKey(one.Key) && IsLost(one, byKey))];
        foreach (Mutant mutant in lost) output.WriteLine($"FAILED: no test kills it now: {LineOf(mutant)}");
        int killed = tried.Count(one => one.IsKilled);
        int others = tried.Length - killed - lost.Length;
        output.WriteLine($"killed {killed}, no longer killed {lost.Length}, others {others}");
        return lost.Length > 0 ? 1 : 0;
    }

    /// <summary>Names the mutants that the older results kill and the newer ones do not.</summary>
    public static int Compare(Mutant[] older, Mutant[] newer, TextWriter output)
    {
        Dictionary<(string, MutationKind, int, string), Mutant> byKey = ByKey(newer);
        int lost = 0;
        foreach (Mutant mutant in older.Where(one => IsLost(one, byKey)))
        {
            Mutant now = byKey.GetValueOrDefault(mutant.Key) ?? mutant with { Outcome = Outcome.None, Test = null };
            lost++;
            output.WriteLine($"{LineOf(now)}; killed before by {mutant.Test}");
        }

        return lost > 0 ? 1 : 0;
    }

    public static string LineOf(Mutant mutant)
    {
        string outcome = mutant.Outcome switch
        {
            Outcome.Killed => "killed",
            Outcome.Timeout => "timeout",
            Outcome.Survived => "survived",
            Outcome.NotCompiled => "does not compile",
            Outcome.NotFound => "not found",
            _ => "not tried",
        };
        string by = mutant.Test is null ? "" : $" by {mutant.Test}";
        return $"{outcome}: {mutant.Kind} {mutant.Ordinal} of {mutant.Symbol}: {mutant.Text}{by}";
    }

    // Also one that is not found or does not compile any more: the list must follow the code.
    private static bool IsLost(Mutant recorded, Dictionary<(string, MutationKind, int, string), Mutant> now) =>
        recorded.IsKilled && now.GetValueOrDefault(recorded.Key)?.IsKilled != true;

    // A file of results can hold a mutant twice, if it was tried again: the last outcome counts.
    private static Dictionary<(string, MutationKind, int, string), Mutant> ByKey(IEnumerable<Mutant> mutants) =>
        mutants.GroupBy(one => one.Key).ToDictionary(same => same.Key, same => same.Last());
}
