using System.IO.Compression;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;

namespace Spate.RepoTests.Packages;

/// <summary>What only a release needs, and takes minutes: whole builds, and precompiled code for a system.</summary>
[Collection(PackedCollection.Name)]
public sealed class ReleasePackTests(PackedPackages packed)
{
    [Fact]
    public async Task Packages_OfTwoCleanBuilds_AreEqualAndPrecompiled()
    {
        TestWidth.SkipUnlessLong(
            "two whole builds; ComparePackagesTests compares small ones, PackageContentsTests reads one");
        PackedPackages.SkipWithoutPackages();
        // Not RuntimeIdentifier, which may name a distribution.
        string system = $"{(OperatingSystem.IsMacOS() ? "osx" : "linux")}-{RuntimeInformation.OSArchitecture}"
            .ToLowerInvariant();
        string output = Path.Combine(packed.Work, "release");

        ShellResult made = await Shell.RunAsync(Shell.StartInfo(
            Sources.Top, packages: null, "bash", Path.Combine(Sources.Top, "pack.sh"),
            "--verify", "--output", output, "--systems", $"{system} any"));
        // NU1101: no such package; NU1102: not in this version.
        Assert.SkipWhen(
            made.All.Contains("error NU1101", StringComparison.Ordinal)
                || made.All.Contains("error NU1102", StringComparison.Ordinal),
            "the precompiler or its runtime could not be had");
        Assert.True(made.ExitCode == 0, made.All);

        using ZipArchive archive =
            ZipFile.OpenRead(Path.Combine(output, $"Spate.Cli.{system}.{Sources.Version}.nupkg"));
        using var content = new MemoryStream();
        using (Stream stream = archive.GetEntry($"tools/net10.0/{system}/Spate.Cli.dll")!.Open())
        {
            stream.CopyTo(content);
        }

        content.Position = 0;
        using var image = new PEReader(content);
        Assert.NotEqual(0, image.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size);
    }
}
