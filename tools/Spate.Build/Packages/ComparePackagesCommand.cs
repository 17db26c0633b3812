using System.CommandLine;

namespace Spate.Build.Packages;

/// <summary><c>compare-packages</c>: whether two builds of the same sources gave the same packages.</summary>
internal static class ComparePackagesCommand
{
    private static readonly string[] Kinds = [".nupkg", ".snupkg"];

    public static Command Create()
    {
        var first = new Argument<DirectoryInfo>("FIRST") { Description = "a folder with packages" };
        var second = new Argument<DirectoryInfo>("SECOND") { Description = "a folder that should hold the same" };
        var command = new Command(
            "compare-packages", "Compares the files inside the packages of two folders, and names those that differ.")
        {
            first.AcceptExistingOnly(), second.AcceptExistingOnly(),
        };
        command.SetAction(parsed => Compare(parsed.GetValue(first)!, parsed.GetValue(second)!, Console.Out));
        return command;
    }

    /// <summary>Writes each difference; the exit code is 1 where there is any.</summary>
    public static int Compare(DirectoryInfo first, DirectoryInfo second, TextWriter output)
    {
        string[] names = [.. Names(first).Union(Names(second), StringComparer.Ordinal).Order(StringComparer.Ordinal)];
        if (names.Length == 0) throw new BuildException($"no packages in {first.FullName}");
        string[] differences = [.. names.SelectMany(name => Differences(first, second, name))];
        foreach (string difference in differences) output.WriteLine(difference);
        output.WriteLine($"{names.Length} packages compared, {differences.Length} differences");
        return differences.Length == 0 ? 0 : 1;
    }

    private static IEnumerable<string> Names(DirectoryInfo folder) =>
        folder.EnumerateFiles().Where(file => Kinds.Contains(file.Extension)).Select(file => file.Name);

    private static IEnumerable<string> Differences(DirectoryInfo first, DirectoryInfo second, string name)
    {
        string[] paths = [Path.Combine(first.FullName, name), Path.Combine(second.FullName, name)];
        if (paths.FirstOrDefault(path => !File.Exists(path)) is { } missing) return [$"{name}: missing as {missing}"];
        IReadOnlyDictionary<string, string> one = PackageContents.Read(paths[0]);
        IReadOnlyDictionary<string, string> other = PackageContents.Read(paths[1]);
        return one.Keys.Union(other.Keys, StringComparer.Ordinal).Order(StringComparer.Ordinal)
            .Where(entry => one.GetValueOrDefault(entry) != other.GetValueOrDefault(entry))
            .Select(entry => $"{name}: {entry}: {Verdict(entry, one, other)}");
    }

    private static string Verdict(
        string entry, IReadOnlyDictionary<string, string> one, IReadOnlyDictionary<string, string> other) =>
        !one.ContainsKey(entry) ? "in the second only" : other.ContainsKey(entry) ? "differs" : "in the first only";
}
