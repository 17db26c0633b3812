namespace Spate.Build.Mutants;

/// <summary>
/// A clone of the repository in a temporary folder, with the tests built. Mutants are applied to it, so that a run
/// which is killed leaves the repository as it was.
/// </summary>
internal sealed class WorkCopy : IDisposable
{
    private static readonly string Separator = Path.DirectorySeparatorChar.ToString();
    private static readonly string Output = $"{Separator}bin{Separator}Debug{Separator}";

    private readonly string _temporary;
    private (string Project, ProjectCompiler Compiler)? _compiler;

    private WorkCopy(string temporary, string? kept)
    {
        _temporary = temporary;
        Top = Path.GetFullPath(kept ?? Path.Combine(temporary, "tree"));
        Child = new Child(Path.GetFileName(temporary));
        // A mutant can allocate without end: the machine must not run out of memory with it.
        (string, string)[] settings =
        [
            ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"), ("DOTNET_NOLOGO", "1"), ("MSBUILDDISABLENODEREUSE", "1"),
            ("DOTNET_CLI_USE_MSBUILD_SERVER", "0"), ("TESTINGPLATFORM_TELEMETRY_OPTOUT", "1"),
            ("UseSharedCompilation", OperatingSystem.IsLinux() ? "true" : "false"),
            ("SharedCompilationId", Path.GetFileName(temporary)), ("DOTNET_GCHeapHardLimit", "0x100000000"),
            ("TMPDIR", Directory.CreateDirectory(Path.Combine(temporary, "t")).FullName),
        ];
        foreach ((string name, string value) in settings) Child.Environment[name] = value;
    }

    public string Top { get; }

    public Child Child { get; }

    // As for coverage: optimized, so that tests that count allocations see the code of a release.
    public static string[] BuildOptions { get; } =
        ["-p:Configuration=Debug", "-p:Optimize=true", "-p:RunAnalyzers=false", "-p:TreatWarningsAsErrors=false"];

    /// <param name="kept">a folder that keeps the copy; if it exists, it is used as it is</param>
    /// <param name="stop">ends the build</param>
    public static async Task<WorkCopy> MakeAsync(string? kept, CancellationToken stop)
    {
        var copy = new WorkCopy(Directory.CreateTempSubdirectory("spate-mutants-").FullName, kept);
        bool isThere = Directory.Exists(copy.Top);
        try
        {
            if (isThere)
            {
                foreach (string source in Directory.EnumerateDirectories(Path.Combine(copy.Top, "src")))
                {
                    copy.InstallClean(Path.GetFileName(source));
                }
            }
            else
            {
                await copy.Child.RunAsync(".", "git", ["clone", "--quiet", "--local", ".", copy.Top], stop);
                await copy.BuildAsync(stop);
            }

            return copy;
        }
        catch
        {
            copy.Dispose();
            if (!isThere && Directory.Exists(copy.Top)) Directory.Delete(copy.Top, recursive: true);
            throw;
        }
    }

    /// <summary>The assembly of the project with one changed site; null if it does not compile.</summary>
    public async Task<byte[]?> CompileAsync(SiteFile file, Site site, CancellationToken stop)
    {
        if (_compiler?.Project != file.Project)
        {
            _compiler = null;
            string folder = Path.Combine(Top, "src", file.Project);
            _compiler = (file.Project, await ProjectCompiler.ReadAsync(Child, folder, stop));
        }

        return _compiler.Value.Compiler.Compile(Path.Combine(Top, file.Path), site.ApplyTo(file.Text));
    }

    /// <summary>Puts an assembly wherever the build copied the project's.</summary>
    public void Install(string project, byte[] assembly)
    {
        foreach (string place in Places(project)) File.WriteAllBytes(place, assembly);
    }

    // The compiler's own output is never replaced.
    public void InstallClean(string project)
    {
        string output = Path.Combine(Top, "src", project, "obj", "Debug");
        string assembly = Directory.EnumerateFiles(output, project + ".dll", SearchOption.AllDirectories)
            .First(path => !path.Contains(Separator + "ref", StringComparison.Ordinal));
        Install(project, File.ReadAllBytes(assembly));
    }

    public void Dispose()
    {
        Child.EndAll();
        try
        {
            Directory.Delete(_temporary, recursive: true);
        }
        catch (IOException fault)
        {
            Console.Error.WriteLine($"Spate.Build: {_temporary} is left: {fault.Message}");
        }
    }

    private IEnumerable<string> Places(string project) =>
        from folder in (string[])["src", "tests", "samples"]
        from path in Directory.EnumerateFiles(Path.Combine(Top, folder), project + ".dll", SearchOption.AllDirectories)
        where path.Contains(Output, StringComparison.Ordinal)
        select path;

    private async Task BuildAsync(CancellationToken stop)
    {
        await Child.RunAsync(Top, "dotnet", ["restore", "Spate.slnx", "--locked-mode", "-nodeReuse:false"], stop);
        foreach (TestProgram program in TestPrograms.Read(Top).Used(SourceTree.Read(Top)))
        {
            await Child.RunAsync(
                Top, "dotnet",
                ["build", program.Project, "--no-restore", "-nodeReuse:false", "-v:quiet", .. BuildOptions], stop);
        }
    }
}
