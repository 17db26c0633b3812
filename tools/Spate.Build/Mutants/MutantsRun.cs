using System.Globalization;

namespace Spate.Build.Mutants;

/// <summary><c>mutants run</c>: tries the mutants that have no result yet, and prints all results.</summary>
internal static class MutantsRun
{
    /// <summary>The exit code is 1 if a mutant survives that was killed when the list was recorded.</summary>
    public static async Task<int> OfAsync(
        Mutant[] mutants, string? resultsPath, string? tree, TimeSpan limit, TextWriter output, CancellationToken stop)
    {
        Dictionary<(string, MutationKind, int, string), Mutant> results = [];
        if (File.Exists(resultsPath))
        {
            foreach (Mutant result in MutantFile.ReadResults(resultsPath)) results[result.Key] = result;
        }

        Mutant[] left = [.. mutants.Where(mutant => !results.ContainsKey(mutant.Key))];
        if (left.Length > 0)
        {
            using WorkCopy copy = await WorkCopy.MakeAsync(tree, stop);
            var sources = SourceTree.Read(copy.Top);
            var trial = new Trial(copy, sources, TestPrograms.Read(copy.Top), limit, Console.Error);
            foreach (Mutant mutant in left)
            {
                Mutant result = await trial.OfAsync(mutant with { Outcome = Outcome.None, Test = null }, stop);
                results[result.Key] = result;
                if (resultsPath is not null) MutantFile.Append(resultsPath, result);
                await output.WriteLineAsync(Summary.LineOf(result));
            }
        }

        return Summary.Print(mutants, results.Values, SourceTree.Read("."), output);
    }

    public static Mutant[] Select(Mutant[] mutants, string only, string shard)
    {
        (int first, int last) = only.Length == 0 ? (1, mutants.Length) : Pair("--only", only, "..");
        (int part, int parts) = Pair("--shard", shard, "/");
        if (part < 1 || part > parts) throw new BuildException($"--shard {shard}: expected I/N with I from 1 to N");
        if (first < 1 || last > mutants.Length)
        {
            throw new BuildException($"--only {only}: expected K..L from 1 to {mutants.Length}");
        }

        return [.. mutants[(first - 1)..last].Where((_, i) => i % parts == part - 1)];
    }

    private static (int, int) Pair(string option, string text, string separator)
    {
        string[] parts = text.Split(separator);
        return parts.Length == 2 && int.TryParse(parts[0], CultureInfo.InvariantCulture, out int one)
            && int.TryParse(parts[1], CultureInfo.InvariantCulture, out int other) && one <= other
            ? (one, other)
            : throw new BuildException($"{option} {text}: expected two numbers with {separator} between");
    }
}
