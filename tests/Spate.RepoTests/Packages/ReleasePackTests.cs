using System.Diagnostics;
using System.IO.Compression;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;

namespace Spate.RepoTests.Packages;

/// <summary>What only a release needs, and takes minutes: whole builds, precompiled code, native code.</summary>
[Collection(PackedCollection.Name)]
public sealed class ReleasePackTests(PackedPackages packed)
{
    private const string NativeSystem = "linux-x64";

    // Not RuntimeIdentifier, which may name a distribution.
    private static readonly string System =
        $"{(OperatingSystem.IsMacOS() ? "osx" : "linux")}-{RuntimeInformation.OSArchitecture}".ToLowerInvariant();

    [Fact]
    public async Task Packages_OfTwoCleanBuilds_AreEqualAndCompiled()
    {
        TestWidth.SkipUnlessLong(
            "two whole builds; ComparePackagesTests compares small ones, PackageContentsTests reads one");
        PackedPackages.SkipWithoutPackages();
        string output = Path.Combine(packed.Work, "release");

        ShellResult made = await Shell.RunAsync(Shell.StartInfo(
            Sources.Top, packages: null, "bash", Path.Combine(Sources.Top, "pack.sh"),
            "--verify", "--output", output, "--systems", $"{System} any"));
        // NU1101: no such package; NU1102: not in this version.
        Assert.SkipWhen(
            made.All.Contains("error NU1101", StringComparison.Ordinal)
                || made.All.Contains("error NU1102", StringComparison.Ordinal),
            "a compiler or its runtime could not be had");
        Assert.True(made.ExitCode == 0, made.All);

        bool hasNative = System == NativeSystem;
        string precompiled = hasNative ? $"Spate.Cli.ReadyToRun.{System}" : $"Spate.Cli.{System}";
        using var image = new PEReader(Read(output, precompiled, $"tools/net10.0/{System}/Spate.Cli.dll"));
        Assert.NotEqual(0, image.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size);
        if (hasNative) await CheckNativeProgramAsync(output);
    }

    /// <summary>The single file is the one of the package, and runs with no variable that could name a runtime.</summary>
    private static async Task CheckNativeProgramAsync(string output)
    {
        string program = Path.Combine(output, $"spate-{NativeSystem}");
        using MemoryStream packaged =
            Read(output, $"Spate.Cli.{NativeSystem}", $"tools/any/{NativeSystem}/Spate.Cli");
        Assert.Equal(
            packaged.ToArray(), await File.ReadAllBytesAsync(program, TestContext.Current.CancellationToken));

        ProcessStartInfo start = Shell.StartInfo(output, packages: null, program, "--version");
        start.Environment.Clear();
        ProcessCount.Add();
        ShellResult version = await Shell.SucceedAsync(start);

        Assert.StartsWith(Sources.Version, version.Output, StringComparison.Ordinal);
    }

    private static MemoryStream Read(string folder, string package, string entry)
    {
        using ZipArchive archive = ZipFile.OpenRead(Path.Combine(folder, $"{package}.{Sources.Version}.nupkg"));
        using Stream stream = archive.GetEntry(entry)!.Open();
        var content = new MemoryStream();
        stream.CopyTo(content);
        content.Position = 0;
        return content;
    }
}
