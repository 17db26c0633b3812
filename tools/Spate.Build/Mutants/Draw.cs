namespace Spate.Build.Mutants;

/// <summary>Draws mutants of each kind, from each project in proportion to its code.</summary>
internal static class Draw
{
    private const int MinPerProject = 2;

    public static IEnumerable<Mutant> From(IEnumerable<(string Project, Mutant Mutant)> all, int seed, int count)
    {
        var random = new Random(seed);
        var projects = all.GroupBy(one => one.Project, one => one.Mutant)
            .OrderBy(project => project.Key, StringComparer.Ordinal).Select(project => project.ToArray()).ToArray();
        int[] shares = Shares([.. projects.Select(project => project.Length)], count);
        return projects.Zip(shares, (mutants, share) => FromProject(mutants, share, random)).SelectMany(one => one);
    }

    /// <summary>Shares in proportion, each at least <see cref="MinPerProject"/> while the sizes allow.</summary>
    public static int[] Shares(int[] sizes, int count)
    {
        int[] shares = [.. sizes.Select(size => Math.Min(MinPerProject, size))];
        long total = Math.Max(1, sizes.Sum());
        while (shares.Sum() < Math.Min(count, total))
        {
            // The project that lacks most of its proportion gets the next one.
            int next = Enumerable.Range(0, sizes.Length).Where(i => shares[i] < sizes[i])
                .MaxBy(i => (double)count * sizes[i] / total - shares[i]);
            shares[next]++;
        }

        return shares;
    }

    // One of each kind in turn, and no symbol twice as long as others are left.
    private static List<Mutant> FromProject(Mutant[] mutants, int count, Random random)
    {
        random.Shuffle(mutants);
        List<Mutant> left = [.. mutants], drawn = [];
        HashSet<string> symbols = [];
        MutationKind[] kinds = [MutationKind.Condition, MutationKind.Bound, MutationKind.Call];
        random.Shuffle(kinds);
        for (int i = 0; drawn.Count < count; i++)
        {
            MutationKind kind = kinds[i % kinds.Length];
            Mutant? next = left.Find(one => one.Kind == kind && !symbols.Contains(one.Symbol))
                ?? left.Find(one => one.Kind == kind);
            if (next is null) continue;
            left.Remove(next);
            symbols.Add(next.Symbol);
            drawn.Add(next);
        }

        return drawn;
    }
}
