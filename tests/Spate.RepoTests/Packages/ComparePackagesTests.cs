using System.IO.Compression;
using Spate.Build.Packages;

namespace Spate.RepoTests.Packages;

/// <summary>The comparison itself, on archives made for it.</summary>
public sealed class ComparePackagesTests : IDisposable
{
    private readonly DirectoryInfo _work = Directory.CreateTempSubdirectory("spate-compare-");

    public void Dispose() => _work.Delete(recursive: true);

    [Fact]
    public void Compare_EqualFilesOfOtherTimes_FindsNone()
    {
        DirectoryInfo first = Make("first", 1990, ("lib/a.dll", "code"));
        DirectoryInfo second = Make("second", 2020, ("lib/a.dll", "code"));
        using var output = new StringWriter();

        Assert.Equal(0, ComparePackagesCommand.Compare(first, second, output));
        Assert.Equal("1 packages compared, 0 differences", output.ToString().TrimEnd());
    }

    [Fact]
    public void Compare_OtherFiles_NamesEach()
    {
        DirectoryInfo first = Make("first", 1990, ("lib/a.dll", "code"), ("gone.txt", ""));
        DirectoryInfo second = Make("second", 1990, ("lib/a.dll", "other code"), ("new.txt", ""));
        using var output = new StringWriter();

        Assert.Equal(1, ComparePackagesCommand.Compare(first, second, output));
        Assert.Contains("p.nupkg: lib/a.dll: differs", output.ToString(), StringComparison.Ordinal);
        Assert.Contains("p.nupkg: gone.txt: in the first only", output.ToString(), StringComparison.Ordinal);
        Assert.Contains("p.nupkg: new.txt: in the second only", output.ToString(), StringComparison.Ordinal);
    }

    private DirectoryInfo Make(string folder, int year, params ReadOnlySpan<(string Path, string Text)> files)
    {
        DirectoryInfo made = _work.CreateSubdirectory(folder);
        using ZipArchive archive = ZipFile.Open(Path.Combine(made.FullName, "p.nupkg"), ZipArchiveMode.Create);
        foreach ((string path, string text) in files)
        {
            ZipArchiveEntry entry = archive.CreateEntry(path);
            entry.LastWriteTime = new DateTimeOffset(year, 1, 1, 0, 0, 0, TimeSpan.Zero);
            using var writer = new StreamWriter(entry.Open());
            writer.Write(text);
        }

        return made;
    }
}
