using System.Text.RegularExpressions;

namespace Spate.RepoTests.Rules;

/// <summary>Habits of English that make a reader stop, counted in comments, texts and pages.</summary>
public static class EnglishRules
{
    // Each pattern is split, so that this file does not break its own rules.
    private static readonly Regex[] Habits =
    [
        Habit("[Ww]h" + "at (is|was|are|were|has|had|comes?|came|arrives?|grows?|costs?|others?|a|an|the|it|they|you"
            + "|no|each|all)"),
        Habit("(is|are|was|were|be|been) to" + "ld|te" + "lls?"),
        Habit("(is|are|was|were) n" + @"o (?!longer|more|one)\w+"),
        Habit("(can|could|may|cannot|must) be ha" + "d"),
        Habit("(stand|li" + "e)s? (in|at|on|above|below|beside|behind|with)"),
        Habit("be" + "side|be" + "hind|ahe" + "ad of"),
        Habit("(said|sa" + "ys) (so|why|what|how)"),
        Habit("ane" + "w|in va" + "in|for ev" + "er|men" + "d(s|ed)?|dea" + "r(er)?|neverthe" + "less|sha" + "ll|suffi"
            + "ces?|besi" + "des|so ma" + "ny|so lo" + "ng"),
        Habit("[Ww]he" + "re (a|an|the|it|no|nothing|there|they)"),
        Habit(@"(bits|datagrams?|N|\d+) " + "a (second|side|line|call)"),
        Habit("as o" + "f|that whi" + "ch|of which n" + "o"),
        new("^#{2,3} " + "(What|Where|Who|Which)" + @"\b", RegexOptions.ExplicitCapture, TimeSpan.FromSeconds(10)),
    ];

    /// <summary>The number of habits in a file.</summary>
    public static int Count(SourceFile file) =>
        file.Lines.Sum(static line => Habits.Sum(habit => habit.Count(line)));

    /// <summary>The folder whose habits are counted together: one project, or all pages.</summary>
    public static string GroupOf(SourceFile file)
    {
        string[] parts = file.Path.Split('/');
        return parts[0] is "src" or "tests" or "samples" or "benchmarks" or "tools" && parts.Length > 2
            ? $"{parts[0]}/{parts[1]}"
            : parts[0];
    }

    private static Regex Habit(string pattern) =>
        new($@"\b({pattern})\b", RegexOptions.ExplicitCapture, TimeSpan.FromSeconds(10));
}
