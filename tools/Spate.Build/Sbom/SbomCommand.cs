using System.CommandLine;

namespace Spate.Build.Sbom;

/// <summary><c>sbom</c>: writes the bill of materials of each package, from the lock file of its project.</summary>
internal static class SbomCommand
{
    private const string Sources = "src";
    private const string LockFileName = "packages.lock.json";

    public static Command Create()
    {
        var output = new Option<DirectoryInfo>("--output")
        {
            Description = "where the files NAME.spdx.json go",
            Required = true,
        };
        Option<long> created = Number.Option(
            "--created", "the time that the files state, in seconds since 1970: the same for the same sources",
            0, DateTimeOffset.MaxValue.ToUnixTimeSeconds());
        var version = new Option<string?>("--package-version")
        {
            Description = "the version of the packages; default: the one in Directory.Build.props",
        };
        var project = new Option<string?>("--project") { Description = "writes the bill of this project only" };
        var runtime = new Option<string?>("--runtime")
        {
            Description = "the package of the runtime that is linked into the program, which no lock file names",
            HelpName = "PACKAGE/VERSION",
        };
        runtime.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<string?>() is { } text && text.Split('/') is not [_, _])
            {
                result.AddError($"--runtime {text}: expected PACKAGE/VERSION");
            }
        });
        var command = new Command("sbom", "Writes a bill of materials (SPDX 2.3) for each package.")
        {
            output, created, version, project, runtime,
        };
        command.SetAction(parsed => Write(
            parsed.GetValue(output)!.FullName,
            DateTimeOffset.FromUnixTimeSeconds(parsed.GetValue(created)),
            parsed.GetValue(version) ?? VersionPrefix.Read("."),
            parsed.GetValue(project),
            parsed.GetValue(runtime)));
        return command;
    }

    private static void Write(
        string output, DateTimeOffset created, string version, string? onlyProject, string? runtime)
    {
        Directory.CreateDirectory(output);
        var folder = PackageFolder.OfUser();
        string[] projects = [.. Directory.EnumerateDirectories(Sources).Select(path => Path.GetFileName(path)!)
            .Where(name => File.Exists(Path.Combine(Sources, name, LockFileName)))
            .Order(StringComparer.Ordinal)];
        if (onlyProject is not null && !projects.Contains(onlyProject, StringComparer.Ordinal))
        {
            string known = string.Join(", ", projects);
            throw new BuildException($"{onlyProject} is no project of {Sources}: expected one of {known}");
        }

        LockedPackage[] linked = runtime?.Split('/') is [var name, var itsVersion]
            ? [folder.Describe(name, itsVersion)]
            : [];
        foreach (string project in onlyProject is null ? projects : [onlyProject])
        {
            string lockFile = File.ReadAllText(Path.Combine(Sources, project, LockFileName));
            Material[] materials = [.. LockFile.Parse(lockFile, version, projects).Concat(linked)
                .Select(locked => Material.Of(locked, folder))];
            File.WriteAllText(
                Path.Combine(output, project + ".spdx.json"),
                SpdxDocument.Write(project, version, created, materials) + "\n");
        }
    }
}
