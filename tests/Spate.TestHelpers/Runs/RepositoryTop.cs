namespace Spate.TestHelpers.Runs;

/// <summary>The folder that holds Spate.slnx.</summary>
internal static class RepositoryTop
{
    public static string Path { get; } = Find();

    private static string Find()
    {
        for (DirectoryInfo? at = new(AppContext.BaseDirectory); at is not null; at = at.Parent)
        {
            if (File.Exists(System.IO.Path.Combine(at.FullName, "Spate.slnx"))) return at.FullName;
        }

        throw new InvalidOperationException($"No Spate.slnx in any folder above {AppContext.BaseDirectory}.");
    }
}
