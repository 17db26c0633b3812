namespace Spate.CliTests.Snapshots;

/// <summary>Which lines of a text went, and which came: the fewest there are.</summary>
internal static class LineDifference
{
    /// <summary>A line for each that differs: <c>-</c> or <c>+</c>, its number in its text, and the line.</summary>
    public static IEnumerable<string> Of(string[] before, string[] after)
    {
        int same = before.AsSpan().CommonPrefixLength(after, StringComparer.Ordinal);
        int[,] common = CommonLengths(before, after, same);
        int i = same, j = same;
        while (i < before.Length || j < after.Length)
        {
            if (i < before.Length && j < after.Length && IsSame(before[i], after[j]))
            {
                i++;
                j++;
            }
            else if (j == after.Length || (i < before.Length && common[i + 1, j] >= common[i, j + 1]))
            {
                yield return $"- {i + 1,4}: {before[i++]}";
            }
            else
            {
                yield return $"+ {j + 1,4}: {after[j++]}";
            }
        }
    }

    private static bool IsSame(string one, string other) => one.Equals(other, StringComparison.Ordinal);

    // The length of the longest common subsequence of what follows a line of each text.
    private static int[,] CommonLengths(string[] before, string[] after, int start)
    {
        var lengths = new int[before.Length + 1, after.Length + 1];
        for (int i = before.Length - 1; i >= start; i--)
        {
            for (int j = after.Length - 1; j >= start; j--)
            {
                lengths[i, j] = IsSame(before[i], after[j])
                    ? lengths[i + 1, j + 1] + 1
                    : Math.Max(lengths[i + 1, j], lengths[i, j + 1]);
            }
        }

        return lengths;
    }
}
