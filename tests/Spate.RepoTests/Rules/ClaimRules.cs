using System.Text.RegularExpressions;

namespace Spate.RepoTests.Rules;

/// <summary>Claims that were found false, which must not come back, and facts that a document must name.</summary>
public static class ClaimRules
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(10);

    /// <summary>A pattern of a false claim, in text whose line breaks are blanks, and the fact.</summary>
    public static readonly (string Pattern, string Fact)[] False =
    [
        (@"\b[Rr]uns? (everywhere|on (Linux, )?Windows and macOS)", "Windows ran under Wine, macOS not"),
        (@"nearly all of its time entering", "entering and leaving the kernel is the smaller part (tuning.md)"),
        (@"\b(AF_XDP|DPDK)\b[^.]{0,80}card of (your|their|its) own", "AF_XDP works at any interface"),
        (@"`EnableTransmitTimes` \| yes", "it has been run with fq in a virtual machine only"),
        (@"RabbitMQ 3\.10 or later", "streams need RabbitMQ 3.9"),
        (@"`bench` stopped before its end", "a bench that is stopped after its first round exits with 0"),
    ];

    /// <summary>What a document must say, because the code does so.</summary>
    public static readonly (string Path, string Text)[] Needed =
    [
        ("README.md", "run under Wine 8, not yet on Windows"),
        ("src/Spate/PACKAGE.md", "under Wine 8, not yet on Windows"),
        ("docs/build/servers.md", "256 datagrams and 128 KiB"),
        ("docs/run/troubleshooting.md", "or `bench` after its first round"),
        ("docs/measure/bench.md", "exit code 0; before the first it is 3"),
    ];

    public static IEnumerable<Offence> FalseClaim(SourceFile file)
    {
        string text = file.Text.Replace('\n', ' ');
        foreach ((string pattern, string fact) in False)
        {
            foreach (Match match in Regex.Matches(text, pattern, RegexOptions.None, Limit))
            {
                int line = file.Text.AsSpan(0, match.Index).Count('\n') + 1;
                yield return file.At(line, $"'{match.Value}' is not so: {fact}");
            }
        }
    }

    public static IEnumerable<Offence> MissingFact(IReadOnlyCollection<SourceFile> files) =>
        from need in Needed
        where !files.Any(file => file.Path == need.Path && Joined(file).Contains(need.Text, StringComparison.Ordinal))
        select new Offence(need.Path, 1, $"does not say '{need.Text}'");

    /// <summary>A table whose lines were joined: its delimiter row stands in a line with other text.</summary>
    public static IEnumerable<Offence> JoinedTable(SourceFile file)
    {
        for (int i = 0; i < file.Lines.Length; i++)
        {
            string line = file.Lines[i].Trim();
            bool hasDelimiters = Regex.IsMatch(line, @"\|\s*:?-{3,}:?\s*\|", RegexOptions.None, Limit);
            if (hasDelimiters && !Regex.IsMatch(line, @"^\|[\s|:-]+\|$", RegexOptions.None, Limit))
            {
                yield return file.At(i + 1, "a table whose lines were joined");
            }
        }
    }

    /// <summary>The first command builds without a word, so the text above it must name the time.</summary>
    public static IEnumerable<Offence> SilentBuild(SourceFile readme)
    {
        int command = Array.FindIndex(
            readme.Lines, line => line.Trim().StartsWith("dotnet run", StringComparison.Ordinal));
        string above = string.Join(' ', readme.Lines.Take(Math.Max(0, command)));
        if (command < 0 || !Regex.IsMatch(above, @"\bbuilds\b.*\bminutes?\b", RegexOptions.None, Limit))
        {
            yield return readme.At(Math.Max(0, command) + 1, "the time of the build is not named above 'dotnet run'");
        }
    }

    private static string Joined(SourceFile file) => file.Text.Replace('\n', ' ');
}
