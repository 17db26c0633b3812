namespace Spate.CliTests.Snapshots;

/// <summary>Command lines as the recorded files write them.</summary>
internal static class CommandLines
{
    /// <summary>Begins a line with a command.</summary>
    public const string Prompt = "$ spate";

    /// <summary>The words of a command by the name of its man page: <c>spate-bench-drain</c>.</summary>
    public static string[] WordsOf(string page) => page.Split('-')[1..];

    /// <summary>Reads a line as a shell does. A word that is empty, or has spaces, has single quotes.</summary>
    public static string[] Split(string line)
    {
        string[] parts = line[Prompt.Length..].Split('\'');
        var words = new List<string>();
        for (int i = 0; i < parts.Length; i++)
        {
            if (i % 2 == 1) words.Add(parts[i]);
            else words.AddRange(parts[i].Split(' ', StringSplitOptions.RemoveEmptyEntries));
        }

        return [.. words];
    }
}
