namespace Spate.Build.Mutants;

/// <summary>How the outcomes are printed.</summary>
internal static class Summary
{
    /// <summary>The table; the exit code is 1 if a mutant is no longer killed.</summary>
    public static int Print(
        Mutant[] mutants, Dictionary<(string, MutationKind, int, string), Mutant> results, SourceTree sources,
        TextWriter output)
    {
        output.WriteLine();
        foreach (Mutant mutant in mutants) output.WriteLine(LineOf(results.GetValueOrDefault(mutant.Key) ?? mutant));
        output.WriteLine();
        output.WriteLine($"{"project",-20} {"killed",8} {"survived",8} {"other",8}");
        foreach (IGrouping<string, Mutant> project in results.Values.Where(one => mutants.Any(two => two.Key == one.Key))
            .GroupBy(one => sources.Find(one)?.File.Project ?? "(not found)").OrderBy(one => one.Key, StringComparer.Ordinal))
        {
            int killed = project.Count(one => one.IsKilled), survived = project.Count(one => one.Outcome == Outcome.Survived);
            output.WriteLine($"{project.Key,-20} {killed,8} {survived,8} {project.Count() - killed - survived,8}");
        }

        int code = Compare(mutants, [.. results.Values], output);
        int all = results.Values.Count(one => mutants.Any(two => two.Key == one.Key));
        int dead = mutants.Count(one => results.TryGetValue(one.Key, out Mutant? result) && result.IsKilled);
        int failed = mutants.Count(one => IsLost(one, results));
        output.WriteLine($"{dead} passed, {failed} failed, {all - dead - failed} skipped");
        return code;
    }

    /// <summary>Names the mutants that the older results kill and the newer ones do not.</summary>
    public static int Compare(Mutant[] older, Mutant[] newer, TextWriter output)
    {
        var results = newer.GroupBy(one => one.Key).ToDictionary(same => same.Key, same => same.Last());
        Mutant[] lost = [.. older.Where(one => IsLost(one, results))];
        foreach (Mutant mutant in lost)
        {
            output.WriteLine($"FAILED: {LineOf(results[mutant.Key])}; killed before by {mutant.Test}");
        }

        return lost.Length > 0 ? 1 : 0;
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

    private static bool IsLost(Mutant older, Dictionary<(string, MutationKind, int, string), Mutant> results) =>
        older.IsKilled && results.TryGetValue(older.Key, out Mutant? result) && !result.IsKilled;
}
