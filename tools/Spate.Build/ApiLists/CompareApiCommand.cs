using System.CommandLine;

namespace Spate.Build.ApiLists;

/// <summary><c>compare-api</c>: whether assemblies, lists and changelog agree on the API of the packages.</summary>
internal static class CompareApiCommand
{
    public const int MaxFaults = 20;

    /// <summary>The variable with which the repository tests write the lists.</summary>
    public const string Renewal = "SPATE_UPDATE_API";

    private const string Lists = "api";
    private const string Released = "api/released";

    public static Command Create()
    {
        var configuration = new Option<string>("--configuration")
        {
            Description = "the configuration whose assemblies are read",
            DefaultValueFactory = static _ => "Release",
        };
        var command = new Command(
            "compare-api",
            $"Compares the API of the packages' assemblies with {Lists}, and the lists with {Released}: CHANGELOG.md "
                + "must name each member that was removed or changed.")
        {
            configuration,
        };
        command.SetAction(parsed => Compare(".", parsed.GetValue(configuration)!, Console.Error));
        return command;
    }

    /// <summary>Writes each difference, and what to do; the exit code is 1 if there is any.</summary>
    public static int Compare(string top, string configuration, TextWriter output)
    {
        IReadOnlyList<string> packages = PackageAssemblies.Names(top);
        PackageAssemblies assemblies = PackageAssemblies.Load(top, packages, configuration);
        string[] unlisted = [.. packages.SelectMany(package => Differences(top, package, assemblies))];
        string[] unnamed = [.. Unnamed(top, packages)];
        Write(unlisted, $"If these changes are meant, renew the lists: {Renewal}=1 dotnet run -c Release --project "
            + "tests/Spate.RepoTests -- -class \"*ApiTests\"", output);
        Write(unnamed, "CONTRIBUTING.md, \"Changes of the API\", has the rule.", output);
        return unlisted.Length + unnamed.Length == 0 ? 0 : 1;
    }

    /// <summary>The lines in which the list of a package and its assembly differ.</summary>
    public static IEnumerable<string> Differences(string top, string package, PackageAssemblies assemblies)
    {
        string list = $"{Lists}/{package}.txt";
        string path = Path.Combine(top, list);
        if (!File.Exists(path)) return [$"{list} is missing"];
        string[] listed = File.ReadAllLines(path);
        string[] built = [.. ApiSurface.Of(assemblies.Of(package))];
        string[] differences =
        [
            .. built.Except(listed, StringComparer.Ordinal).Select(line => $"{list} lacks: {line}"),
            .. listed.Except(built, StringComparer.Ordinal).Select(line => $"the assembly lacks, {list} has: {line}"),
        ];
        return differences.Length > 0 || built.SequenceEqual(listed) ? differences : [$"{list} has another order"];
    }

    private static IEnumerable<string> Unnamed(string top, IEnumerable<string> packages)
    {
        var changelog = new ApiChangelog(File.ReadAllText(Path.Combine(top, "CHANGELOG.md")), VersionPrefix.Read(top));
        Dictionary<string, ApiList> released = Directory.EnumerateFiles(Path.Combine(top, Released), "*.txt")
            .ToDictionary(path => Path.GetFileNameWithoutExtension(path), ApiList.Read);
        Dictionary<string, ApiList> current = packages.ToDictionary(
            package => package, package => ApiList.Read(Path.Combine(top, Lists, package + ".txt")));
        return new ApiComparison(released, current, changelog).Faults();
    }

    private static void Write(string[] faults, string remedy, TextWriter output)
    {
        if (faults.Length == 0) return;
        foreach (string fault in faults.Take(MaxFaults)) output.WriteLine(fault);
        if (faults.Length > MaxFaults) output.WriteLine($"and {faults.Length - MaxFaults} more");
        output.WriteLine(remedy);
    }
}
