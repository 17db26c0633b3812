using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Spate.RepoTests.Packages;

/// <summary>
/// Programs outside the repository that have nothing but the packages: those of samples/, of README.md
/// and of the packages' own readmes. All are built in one go.
/// </summary>
internal sealed partial class Consumers
{
    /// <summary>The port that the programs of README.md use.</summary>
    public const int ReadmePort = 9999;

    private readonly PackedPackages _packed;
    private readonly string _folder;

    private Consumers(PackedPackages packed, string folder)
    {
        _packed = packed;
        _folder = Directory.CreateDirectory(Path.Combine(packed.Work, folder)).FullName;
    }

    public static IReadOnlyList<string> Samples { get; } =
        [.. Directory.EnumerateDirectories(Path.Combine(Sources.Top, "samples"))
            .Select(folder => Path.GetFileName(folder))
            .Where(name => File.Exists(Path.Combine(Sources.Top, "samples", name, "Program.cs")))
            .Order(StringComparer.Ordinal)];

    private static IEnumerable<string> Readmes =>
        Sources.Packages.Select(package => Sources.Read("src", package, "PACKAGE.md"))
            .Prepend(Sources.Read("README.md"));

    /// <summary>Packages of others that readers are told to add.</summary>
    private static IReadOnlyList<string> OtherPackages { get; } =
        [.. Readmes.SelectMany(text => AddedPackage().Matches(text)).Select(match => match.Groups["name"].Value)
            .Where(name => !name.StartsWith("Spate", StringComparison.Ordinal)).Distinct(StringComparer.Ordinal)];

    /// <summary>
    /// The fenced blocks of README.md, and of what packages show as theirs, that are whole programs: they begin with
    /// what they use.
    /// </summary>
    public static IReadOnlyList<string> ReadmePrograms { get; } = [.. Readmes.SelectMany(ProgramsOf)];

    /// <summary>How many of <see cref="ReadmePrograms"/>, from the first, are those of README.md itself.</summary>
    public static int RepositoryReadmeCount { get; } = ProgramsOf(Sources.Read("README.md")).Count();

    public static async Task<Consumers> BuildAsync(PackedPackages packed)
    {
        var consumers = new Consumers(packed, "consumers");
        consumers.WriteSettings(NuGetConfig(packed.Feed));
        foreach (string sample in Samples) consumers.CopySample(sample);
        for (int i = 0; i < ReadmePrograms.Count; i++)
        {
            consumers.WriteProgram(ReadmeName(i), ReadmePrograms[i]);
        }

        IEnumerable<string> projects = [.. Samples, .. Enumerable.Range(0, ReadmePrograms.Count).Select(ReadmeName)];
        string solution = string.Concat(projects.Select(name => $"<Project Path=\"{name}/{name}.csproj\" />"));
        consumers.Write("all.slnx", $"<Solution>{solution}</Solution>");
        await Shell.SucceedAsync(consumers.StartInfo(
            "dotnet", "build", "all.slnx", "-c", "Release", "-v:minimal", "-nodeReuse:false"));
        return consumers;
    }

    /// <summary>
    /// Publishes a sample as a native program, with the warnings of the trimmer and the native compiler as errors. The
    /// compiler's package comes from the user's sources.
    /// </summary>
    /// <returns>The program; null where the compiler cannot be had.</returns>
    public static async Task<string?> PublishNativeAsync(PackedPackages packed, string sample, string system)
    {
        var consumers = new Consumers(packed, "native");
        consumers.WriteSettings($"""
            <configuration>
              <packageSources><add key="ours" value="{packed.Feed}" /></packageSources>
            </configuration>
            """);
        consumers.CopySample(sample);
        ShellResult made = await Shell.RunAsync(consumers.StartInfo(
            "dotnet", "publish", sample, "-c", "Release", "-r", system, "-p:PublishAot=true",
            "-p:TreatWarningsAsErrors=true", "-o", "published", "-v:minimal", "-nodeReuse:false"));
        if (LacksPackage(made)) return null;
        Assert.True(made.ExitCode == 0, made.All);
        return Path.Combine(consumers._folder, "published", sample);
    }

    /// <summary>Whether a restore found no source that has a package (NU1101) or this version of it (NU1102).</summary>
    public static bool LacksPackage(ShellResult made) =>
        made.All.Contains("error NU1101", StringComparison.Ordinal)
            || made.All.Contains("error NU1102", StringComparison.Ordinal);

    public static string ReadmeName(int index) => $"Readme{index}";

    /// <summary>A built program, ready to be started.</summary>
    public RunningProgram Start(string name, params IEnumerable<string> arguments)
    {
        string program = Path.Combine(_folder, name, "bin", "Release", "net10.0", name + ".dll");
        return new RunningProgram(Shell.StartInfo(
            Path.GetDirectoryName(program)!, _packed.OwnPackageFolder, "dotnet", [program, .. arguments]));
    }

    private System.Diagnostics.ProcessStartInfo StartInfo(string program, params IEnumerable<string> arguments) =>
        Shell.StartInfo(_folder, _packed.OwnPackageFolder, program, arguments);

    /// <summary>
    /// Ours come from the feed and nowhere else; all others from the folder that this repository was restored into, so
    /// that no source need answer.
    /// </summary>
    public static string NuGetConfig(string feed) => $"""
        <configuration>
          <packageSources>
            <clear />
            <add key="ours" value="{feed}" />
            <add key="others" value="{Sources.PackageFolder}" />
          </packageSources>
          <packageSourceMapping>
            <packageSource key="ours"><package pattern="Spate" /><package pattern="Spate.*" /></packageSource>
            <packageSource key="others"><package pattern="*" /></packageSource>
          </packageSourceMapping>
        </configuration>
        """;

    private static IEnumerable<string> ProgramsOf(string readme) =>
        Fence().Matches(readme).Select(match => match.Groups["code"].Value)
            .Where(code => code.StartsWith("using ", StringComparison.Ordinal)
                && code.Contains("using Spate", StringComparison.Ordinal));

    private void WriteSettings(string nuGetConfig)
    {
        Write("nuget.config", nuGetConfig);
        Write("Directory.Build.targets", "<Project />");
        Write("Directory.Build.props", """
            <Project>
              <PropertyGroup><NuGetAudit>false</NuGetAudit></PropertyGroup>
            </Project>
            """);
        XDocument versions = XDocument.Parse(Sources.Read("Directory.Packages.props"));
        versions.Root!.Add(new XElement("ItemGroup", Sources.Packages.Select(package => new XElement(
            "PackageVersion", new XAttribute("Include", package), new XAttribute("Version", Sources.Version)))));
        Write("Directory.Packages.props", versions.ToString());
    }

    /// <summary>The project of a sample stays as it is, but for its references to projects.</summary>
    private void CopySample(string name)
    {
        string from = Path.Combine(Sources.Top, "samples", name);
        Directory.CreateDirectory(Path.Combine(_folder, name));
        foreach (FileInfo file in new DirectoryInfo(from).EnumerateFiles())
        {
            if (file.Name != "packages.lock.json") file.CopyTo(Path.Combine(_folder, name, file.Name));
        }

        string path = Path.Combine(_folder, name, name + ".csproj");
        XDocument project = XDocument.Load(path);
        foreach (XElement reference in project.Descendants("ProjectReference").ToArray())
        {
            string include = (string)reference.Attribute("Include")!;
            string target = Path.GetFileNameWithoutExtension(include.Replace('\\', '/'));
            reference.ReplaceWith(new XElement("PackageReference", new XAttribute("Include", target)));
        }

        project.Save(path);
    }

    /// <summary>
    /// A program of a readme refers to all libraries, and to all packages that readers are told to add.
    /// </summary>
    private void WriteProgram(string name, string code)
    {
        IEnumerable<XElement> references = Sources.Packages.Where(package => !Sources.IsTool(package))
            .Concat(OtherPackages)
            .Select(package => new XElement("PackageReference", new XAttribute("Include", package)));
        var project = new XElement(
            "Project", new XAttribute("Sdk", "Microsoft.NET.Sdk"),
            new XElement(
                "PropertyGroup",
                new XElement("OutputType", "Exe"),
                new XElement("TargetFramework", "net10.0"),
                new XElement("Nullable", "enable"),
                new XElement("ImplicitUsings", "enable")),
            new XElement("ItemGroup", references));
        Directory.CreateDirectory(Path.Combine(_folder, name));
        Write(Path.Combine(name, name + ".csproj"), project.ToString());
        // The port becomes an argument's, so that the programs run beside each other and beside what else uses it.
        Write(Path.Combine(name, "Program.cs"), code.Replace(
            ReadmePort.ToString(System.Globalization.CultureInfo.InvariantCulture), "int.Parse(args[0])",
            StringComparison.Ordinal));
    }

    private void Write(string path, string text) => File.WriteAllText(Path.Combine(_folder, path), text);

    [GeneratedRegex(
        "^```csharp\n(?<code>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline,
        matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Fence();

    [GeneratedRegex(
        @"dotnet add package (?<name>[A-Za-z][\w.]*)", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex AddedPackage();
}
