namespace Spate.RepoTests;

/// <summary>Every text file of the repository that the tests run in, read once.</summary>
public static class Repository
{
    private const int BinaryProbeChars = 8000;

    private static readonly HashSet<string> SkippedFolders = new(StringComparer.Ordinal)
    {
        ".git", ".vs", ".idea", "bin", "obj", "artifacts", "TestResults", "BenchmarkDotNet.Artifacts",
    };

    private static readonly Lazy<SourceFile[]> Loaded = new(Load);

    /// <summary>The folder that holds Spate.slnx.</summary>
    public static string Top { get; } = RepositoryTop.Path;

    public static IReadOnlyList<SourceFile> Files => Loaded.Value;

    public static IEnumerable<SourceFile> CSharp => Files.Where(file => file.IsCSharp);

    /// <summary>Runs a rule over files and fails with every offender, one a line.</summary>
    public static void AssertNone(IEnumerable<SourceFile> files, Func<SourceFile, IEnumerable<Offence>> rule)
    {
        SourceFile[] checkedFiles = [.. files];
        Assert.NotEmpty(checkedFiles);
        AssertNone(checkedFiles.SelectMany(rule));
    }

    public static void AssertNone(IEnumerable<Offence> offences)
    {
        Offence[] found = [.. offences.OrderBy(offence => offence.Path, StringComparer.Ordinal)
            .ThenBy(offence => offence.Line)];
        Assert.True(found.Length == 0, $"{found.Length} found:\n{string.Join('\n', found.AsEnumerable())}");
    }

    /// <summary>Renews a file of the repository.</summary>
    public static void Write(string path, string text)
    {
        string full = Path.Combine(Top, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, text);
    }

    private static SourceFile[] Load()
    {
        return [.. Walk(new DirectoryInfo(Top))
            .Select(path => new SourceFile(
                Path.GetRelativePath(Top, path).Replace('\\', '/'), File.ReadAllText(path)))
            .Where(file => !file.Text.AsSpan(0, Math.Min(file.Text.Length, BinaryProbeChars)).Contains('\0'))];
    }

    private static IEnumerable<string> Walk(DirectoryInfo folder)
    {
        // In a linked work tree .git is a file; it names a machine path and is no part of the repository.
        foreach (FileInfo file in folder.EnumerateFiles().Where(file => !SkippedFolders.Contains(file.Name)))
        {
            yield return file.FullName;
        }

        foreach (DirectoryInfo child in folder.EnumerateDirectories().Where(d => !SkippedFolders.Contains(d.Name)))
        {
            foreach (string path in Walk(child)) yield return path;
        }
    }
}
