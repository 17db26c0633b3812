using System.Diagnostics;
using System.IO.Compression;
using System.Net;
using System.Net.Sockets;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using Spate.TestHelpers.Commands;

namespace Spate.RepoTests.Packages;

/// <summary>The packages of a release, whose builds take minutes: precompiled code, native code.</summary>
[Collection(PackedCollection.Name)]
public sealed class ReleasePackTests(PackedPackages packed)
{
    private const string NativeSystem = "linux-x64";

    // Not RuntimeIdentifier, which may name a distribution.
    private static readonly string HostSystem =
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
            "--verify", "--output", output, "--systems", $"{HostSystem} any"));
        Assert.SkipWhen(Consumers.LacksPackage(made), "a compiler or its runtime could not be had");
        Assert.True(made.ExitCode == 0, made.All);

        bool hasNative = HostSystem == NativeSystem;
        string precompiled = hasNative ? $"Spate.Cli.ReadyToRun.{HostSystem}" : $"Spate.Cli.{HostSystem}";
        using var image = new PEReader(Read(output, precompiled, $"tools/net10.0/{HostSystem}/Spate.Cli.dll"));
        Assert.NotEqual(0, image.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size);
        if (hasNative) await CheckNativeProgramAsync(output);
        Assert.Equal(!hasNative, await HasAssembliesAsync(output, "Spate.Cli"));
        if (hasNative) Assert.True(await HasAssembliesAsync(output, precompiled));
    }

    /// <summary>A server in the Generic Host, whose configuration is bound by generated code.</summary>
    [Fact]
    public async Task Sample_PublishedNatively_AnswersAndEndsCleanly()
    {
        TestWidth.SkipUnlessLong("a native build; the sample runs from the packages in every run");
        PackedPackages.SkipWithoutPackages();
        string? path = await Consumers.PublishNativeAsync(packed, "HostedEcho", HostSystem);
        Assert.SkipWhen(path is null, "the native compiler could not be had");

        using var program = new RunningProgram(
            Shell.StartInfo(Path.GetDirectoryName(path)!, packages: null, path, "0"));
        IPEndPoint server = (await program.ReadEndPointAsync())!;
        using var peer = new UdpClient(server.AddressFamily);
        byte[] sent = "datagram"u8.ToArray();
        await peer.SendAsync(sent, server, TestContext.Current.CancellationToken);
        UdpReceiveResult answer = await peer.ReceiveAsync(TestContext.Current.CancellationToken);
        (int exitCode, string error) = await program.TerminateAsync();

        Assert.Equal(sent, answer.Buffer);
        Assert.True(exitCode == 0, $"exit code {exitCode}\n{error}");
    }

    /// <summary>
    /// The single file is the one of the package, needs no newer glibc, and runs with no variable that could name a
    /// runtime; the bill of the package has the runtime.
    /// </summary>
    private static async Task CheckNativeProgramAsync(string output)
    {
        string program = Path.Combine(output, $"spate-{NativeSystem}");
        using MemoryStream packaged =
            Read(output, $"Spate.Cli.{NativeSystem}", $"tools/any/{NativeSystem}/Spate.Cli");
        byte[] file = packaged.ToArray();
        Assert.Equal(file, await File.ReadAllBytesAsync(program, TestContext.Current.CancellationToken));
        ElfVersions.AssertGlibc(file);
        using var bill = new StreamReader(Read(output, $"Spate.Cli.{NativeSystem}", "sbom.spdx.json"));
        Assert.Contains(
            $"Microsoft.NETCore.App.Runtime.NativeAOT.{NativeSystem}",
            await bill.ReadToEndAsync(TestContext.Current.CancellationToken), StringComparison.Ordinal);

        ProcessStartInfo start = Shell.StartInfo(output, packages: null, program, "--version");
        start.Environment.Clear();
        ProcessCount.Add();
        ShellResult version = await Shell.SucceedAsync(start);

        Assert.StartsWith(Sources.Version, version.Output, StringComparison.Ordinal);
    }

    /// <summary>Installs a package of the release, runs it, and returns whether it needs a runtime.</summary>
    private async Task<bool> HasAssembliesAsync(string output, string package)
    {
        string store = Path.Combine(await ToolPackageTests.InstallAsync(packed, output, package), ".store");
        return Directory.EnumerateFiles(store, "Spate.Cli.dll", SearchOption.AllDirectories).Any();
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
