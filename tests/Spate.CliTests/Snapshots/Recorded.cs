using System.Text;

namespace Spate.CliTests.Snapshots;

/// <summary>
/// Texts of the tool as they were recorded, in files of this folder: each change that a user sees is a changed line
/// of a file, and so is seen in review. With SPATE_RECORD=1 a test writes its files instead, and passes.
/// </summary>
internal static class Recorded
{
    private const string Renewal = "SPATE_RECORD";
    private const string Place = "tests/Spate.CliTests/Snapshots/Recorded";

    private static bool IsRenewed => Environment.GetEnvironmentVariable(Renewal) is "1";

    /// <summary>Skips a test whose texts name the parts of another system.</summary>
    public static void SkipUnlessOfThisSystem() =>
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the recorded texts are those of Linux");

    /// <summary>The recorded files of a folder: their names without the ending, and their texts.</summary>
    public static SortedDictionary<string, string> Read(string folder)
    {
        var texts = new SortedDictionary<string, string>(StringComparer.Ordinal);
        string path = PathOf(folder);
        foreach (string file in Directory.Exists(path) ? Directory.EnumerateFiles(path, "*.txt") : [])
        {
            texts[Path.GetFileNameWithoutExtension(file)] = File.ReadAllText(file);
        }

        return texts;
    }

    /// <summary>Compares the texts with all recorded files of a folder, and fails with the lines that differ.</summary>
    public static void AssertSame(string folder, IReadOnlyDictionary<string, string> texts)
    {
        Assert.NotEmpty(texts);
        if (IsRenewed)
        {
            Write(folder, texts);
            return;
        }

        string differences = DifferencesOf(Read(folder), texts);
        Assert.True(differences.Length == 0,
            $"""
            {Place}/{folder}, - as recorded, + as it is:
            {differences}
            If the change is meant, record it:
            {Renewal}=1 dotnet run -c Release --project tests/Spate.CliTests -- -namespace Spate.CliTests.Snapshots
            """);
    }

    /// <summary>The lines that differ, below the name of their file; empty where none does.</summary>
    internal static string DifferencesOf(
        IReadOnlyDictionary<string, string> recorded, IReadOnlyDictionary<string, string> texts)
    {
        var all = new StringBuilder();
        foreach (string name in recorded.Keys.Union(texts.Keys, StringComparer.Ordinal).Order(StringComparer.Ordinal))
        {
            string[] lines = [.. LineDifference.Of(
                recorded.GetValueOrDefault(name)?.Split('\n') ?? [], texts.GetValueOrDefault(name)?.Split('\n') ?? [])];
            if (lines.Length > 0) all.Append(name).Append(".txt\n").AppendJoin('\n', lines).Append('\n');
        }

        return all.ToString();
    }

    private static void Write(string folder, IReadOnlyDictionary<string, string> texts)
    {
        string path = PathOf(folder);
        Directory.CreateDirectory(path);
        foreach (string name in Read(folder).Keys.Except(texts.Keys, StringComparer.Ordinal))
        {
            File.Delete(Path.Combine(path, name + ".txt"));
        }

        foreach ((string name, string text) in texts) File.WriteAllText(Path.Combine(path, name + ".txt"), text);
    }

    private static string PathOf(string folder) => Path.Combine(RepositoryTop.Path, Place, folder);
}
