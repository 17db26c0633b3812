namespace Spate.CliTests.Bench;

/// <summary>
/// Runs a bench in a short time, and in a longer one on a machine that is too busy for that. No test is about the
/// amount that a bench measures in a time.
/// </summary>
internal static class PatientBench
{
    private static readonly string[] LongerSeconds = ["20", "60"];

    /// <summary>Runs the bench until its time is enough.</summary>
    /// <param name="tooShort">What stderr holds where the time was too short.</param>
    /// <param name="seconds">The shortest time.</param>
    /// <param name="arguments">The command line without the time.</param>
    public static async Task<ToolResult> RunAsync(string tooShort, string seconds, params string[] arguments)
    {
        ToolResult result = await Tool.RunAsync([.. arguments, "--seconds", seconds]);
        foreach (string longer in LongerSeconds)
        {
            if (!result.Error.Contains(tooShort, StringComparison.Ordinal)) break;

            result = await Tool.RunAsync([.. arguments, "--seconds", longer]);
        }

        return result;
    }

    /// <summary>The rows without those for which a busy machine had no time. Stderr names these.</summary>
    /// <param name="result">A run that gave figures.</param>
    /// <param name="rows">Every row, by the name that stderr has for it.</param>
    public static IEnumerable<string> WithoutLateRows(ToolResult result, IEnumerable<string> rows)
    {
        const string Start = "spate: ";
        const string Reason = " did not run: no time was left for it";
        string[] late =
        [
            .. result.ErrorLines.Where(static line => line.Contains(Reason, StringComparison.Ordinal))
                .Select(static line => $", {line[Start.Length..line.IndexOf(Reason, StringComparison.Ordinal)]}, "),
        ];
        return rows.Where(row => !late.Any(names => names.Contains($", {row}, ", StringComparison.Ordinal)));
    }
}
