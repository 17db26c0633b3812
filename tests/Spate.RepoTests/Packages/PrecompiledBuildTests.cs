using System.Runtime.InteropServices;

namespace Spate.RepoTests.Packages;

/// <summary>
/// When <c>dotnet build -c Release</c> puts precompiled code into the tool: it is code for the system of the SDK, and a
/// runtime of another system does not find an assembly with it.
/// </summary>
public sealed class PrecompiledBuildTests
{
    [Theory]
    [InlineData("", "true")]
    [InlineData("linux-x64", "true")]
    [InlineData("linux-arm64", "false")]
    [InlineData("win-x64", "false")]
    public async Task SpateReadyToRun_BySystem_IsForTheOneOfTheSdk(string system, string expected)
    {
        Assert.SkipUnless(
            OperatingSystem.IsLinux() && RuntimeInformation.OSArchitecture == Architecture.X64, "Linux on x64 only");

        ShellResult result = await Shell.SucceedAsync(Shell.StartInfo(
            Sources.Top, packages: null, "dotnet", "msbuild", "src/Spate.Cli", "-p:Configuration=Release",
            $"-p:RuntimeIdentifier={system}", "-getProperty:SpateReadyToRun"));

        Assert.Equal(expected, result.Output.Trim());
    }
}
